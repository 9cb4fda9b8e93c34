import { AllotmentSent, SubAccountAdded } from '#events/billing/allotment.events.js';
import { type Saga } from '#platform/kernel/saga.js';
import { type AllotmentReceipt, type SubAccountTerms } from './allotment.rules.js';

interface OpenSubAccount {
  readonly type: 'OpenSubAccount';
  readonly data: SubAccountTerms & Pick<SubAccountAdded['data'], 'depth'>;
}

interface DeliverAllotment {
  readonly type: 'DeliverAllotment';
  readonly data: Omit<AllotmentReceipt, 'receivedAt'>;
}

/**
 * Completes a movement in the tree of accounts whose process ended between its two streams. Both
 * commands may come twice, and after later ones.
 */
export const allotmentSaga: Saga<
  SubAccountAdded | AllotmentSent,
  object,
  OpenSubAccount | DeliverAllotment
> = {
  name: 'allotment',
  on: { SubAccountAdded, AllotmentSent },
  key: ({ type, data }) => {
    const otherId = type === 'AllotmentSent' ? data.toId : data.childId;
    return `${data.accountId}/${otherId}`;
  },
  initialState: {},
  evolve: () => null,
  react: ({ type, data }) => {
    switch (type) {
      case 'SubAccountAdded':
        return [{ kind: 'command', command: { type: 'OpenSubAccount', data } }];
      case 'AllotmentSent': {
        const { accountId: fromId, toId: accountId, totalMicroUsd } = data;
        const receipt = { accountId, fromId, totalMicroUsd };
        return [{ kind: 'command', command: { type: 'DeliverAllotment', data: receipt } }];
      }
    }
  },
};
