import { describe, it } from '@jest/globals';
import { ContributionWithdrawn } from '#events/cleanrooms/cleanroom.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { contributionRowsSaga } from './contribution-rows.saga.js';
import { AT, BLOB, contributed, CONTRIBUTOR, idOf, ROOM_ID } from './rooms.fixture.js';

const saga = sagaSpecOf(contributionRowsSaga);
const data = { cleanroomId: ROOM_ID, contributionId: idOf(1, 1), blob: BLOB };

describe('the rows of a contribution', () => {
  it('are kept, and their key is destroyed when they are withdrawn', () => {
    saga
      .given()
      .when(contributed())
      .then({ kind: 'command', command: { type: 'RetainRows', data } });
    saga
      .given(contributed())
      .when(
        ContributionWithdrawn.of({ ...data, accountId: CONTRIBUTOR, rows: 10, withdrawnAt: AT }),
      )
      .then({ kind: 'command', command: { type: 'DestroyRows', data } });
  });
});
