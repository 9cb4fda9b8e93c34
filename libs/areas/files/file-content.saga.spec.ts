import { describe, it } from '@jest/globals';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { fileContentSaga } from './file-content.saga.js';
import { created, createdForEver, deleted, expired, EXPIRES_AT, FILE } from './file.fixture.js';

const saga = sagaSpecOf(fileContentSaga);
const data = { fileId: FILE };
const retain = { kind: 'command', command: { type: 'RetainContent', data } } as const;
const release = { kind: 'command', command: { type: 'ReleaseContent', data } } as const;

describe('the content of a file', () => {
  it('is retained, and expires with the file', () => {
    const command = { type: 'ExpireFile', data } as const;
    saga
      .given()
      .when(created)
      .then(retain, { kind: 'schedule', timer: 'expiry', dueAt: EXPIRES_AT, command });
  });

  it('is retained without an end', () => {
    saga.given().when(createdForEver).then(retain);
  });

  it('is released when the file is deleted or has expired', () => {
    for (const end of [deleted, expired]) {
      saga.given(created).when(end).then({ kind: 'cancel', timer: 'expiry' }, release);
      saga.given(created).when(end).thenEnds();
    }
  });
});
