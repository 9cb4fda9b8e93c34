import { describe, expect, it } from '@jest/globals';
import { chatOf } from '../messages/messages.body.js';
import { sessionIdOf } from './session.header.js';

describe('the session of a request', () => {
  it('is the header, where there is one', () => {
    expect(sessionIdOf({ 'x-session-id': 'a' })).toBe('a');
    expect([sessionIdOf({}), sessionIdOf({ 'x-session-id': '' })]).toEqual([undefined, undefined]);
  });

  it('has a bounded name', () => {
    expect(() => sessionIdOf({ 'x-session-id': 'a'.repeat(257) })).toThrow(
      'x-session-id: expected at most 256 characters, received a string of 257 characters',
    );
  });
});

describe('the wishes of a message about rigs', () => {
  const message = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };

  it('are fields of the chat, which checks them', () => {
    const provider = { order: ['acme'], allow_fallbacks: false };
    expect(chatOf({ ...message, provider, models: ['n'] })).toMatchObject({
      provider,
      models: ['n'],
    });
    expect(() => chatOf({ ...message, provider: { sort: 'beauty' } })).toThrow('provider.sort');
    expect(() => chatOf({ ...message, provider: { region: 'eu' } })).toThrow('provider.region');
  });
});
