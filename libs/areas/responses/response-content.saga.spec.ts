import { describe, it } from '@jest/globals';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { responseContentSaga } from './response-content.saga.js';
import { deleted, expired, EXPIRES_AT, queued, RESPONSE, stored } from './response.fixture.js';

const saga = sagaSpecOf(responseContentSaga);
const data = { responseId: RESPONSE };
const retain = { kind: 'command', command: { type: 'RetainResponse', data } } as const;
const release = { kind: 'command', command: { type: 'ReleaseResponse', data } } as const;

describe('the content of a response', () => {
  it('is retained, and expires with the response', () => {
    const command = { type: 'ExpireResponse', data } as const;
    saga
      .given()
      .when(stored)
      .then(retain, { kind: 'schedule', timer: 'expiry', dueAt: EXPIRES_AT, command });
  });

  it('is retained before it has ended', () => {
    saga.given().when(queued).then(retain);
  });

  it('is released when the response is deleted or has expired', () => {
    for (const end of [deleted, expired]) {
      saga.given(stored).when(end).then({ kind: 'cancel', timer: 'expiry' }, release);
      saga.given(stored).when(end).thenEnds();
    }
  });
});
