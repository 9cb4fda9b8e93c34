import { AccountClosed, AllotmentSent, SubAccountAdded } from '#events/billing/allotment.events.js';
import { type Saga } from '#platform/kernel/saga.js';
import { type AllotmentReceipt, type SubAccountTerms } from './allotment.rules.js';
import { type ChildClosing } from './closing.rules.js';

interface OpenSubAccount {
  readonly type: 'OpenSubAccount';
  readonly data: SubAccountTerms & Pick<SubAccountAdded['data'], 'depth'>;
}

interface DeliverAllotment {
  readonly type: 'DeliverAllotment';
  readonly data: Omit<AllotmentReceipt, 'receivedAt'>;
}

interface CloseSubAccount {
  readonly type: 'CloseSubAccount';
  readonly data: ChildClosing;
}

type TreeEvent = SubAccountAdded | AllotmentSent | AccountClosed;

const otherOf = ({ type, data }: TreeEvent): string => {
  switch (type) {
    case 'SubAccountAdded':
      return data.childId;
    case 'AllotmentSent':
      return data.toId;
    case 'AccountClosed':
      return data.parentId;
  }
};

/**
 * Completes a change of the tree of accounts whose process ended between its two streams. All
 * commands may come twice, and after later ones.
 */
export const allotmentSaga: Saga<
  TreeEvent,
  object,
  OpenSubAccount | DeliverAllotment | CloseSubAccount
> = {
  name: 'allotment',
  on: { SubAccountAdded, AllotmentSent, AccountClosed },
  key: (event) => `${event.data.accountId}/${otherOf(event)}`,
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
      case 'AccountClosed': {
        const { accountId: childId, parentId: accountId, closedAt } = data;
        const closing = { accountId, childId, closedAt };
        return [{ kind: 'command', command: { type: 'CloseSubAccount', data: closing } }];
      }
    }
  },
};
