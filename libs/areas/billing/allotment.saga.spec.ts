import { describe, expect, it } from '@jest/globals';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { ACCOUNT } from './account.fixture.js';
import { accountClosed, added, childClosed, sent, TEAM } from './allotment.fixture.js';
import { allotmentSaga } from './allotment.saga.js';

const saga = sagaSpecOf(allotmentSaga);

describe('the saga of allotments', () => {
  it('opens a sub-account that was added', () => {
    saga
      .given()
      .when(added())
      .then({ kind: 'command', command: { type: 'OpenSubAccount', data: added().data } });
  });

  it('delivers the total that was sent', () => {
    saga
      .given()
      .when(sent([100, 500, 0]))
      .then({
        kind: 'command',
        command: {
          type: 'DeliverAllotment',
          data: { accountId: TEAM, fromId: ACCOUNT, totalMicroUsd: '500' },
        },
      });
    expect(allotmentSaga.key(sent([100, 500, 0]))).toBe(allotmentSaga.key(added()));
  });

  it('tells the account above that a sub-account is closed, after its money', () => {
    saga
      .given()
      .when(accountClosed())
      .then({ kind: 'command', command: { type: 'CloseSubAccount', data: childClosed().data } });
    const up = sent([100, 500, 0], { from: TEAM, to: ACCOUNT });
    expect(allotmentSaga.key(accountClosed())).toBe(allotmentSaga.key(up));
  });
});
