import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { turnServers } from './turn-credentials.js';

describe('the credentials of TURN servers', () => {
  it('are the ones that coturn computes from its secret, until the token expires', () => {
    const turn = { urls: ['turn:relay.example:3478', 'turns:relay.example:5349'], secret: 'north' };
    const username = '1795670400:7d1f0c52';
    expect(turnServers(turn, '7d1f0c52', 1_795_670_400_000)).toEqual(
      turn.urls.map((urls) => ({
        urls,
        username,
        credential: createHmac('sha1', 'north').update(username).digest('base64'),
      })),
    );
  });
});
