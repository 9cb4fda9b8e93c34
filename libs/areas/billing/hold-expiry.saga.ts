import {
  HoldCaptured,
  HoldExpired,
  HoldPlaced,
  HoldReleased,
  HoldRenewed,
} from '#events/billing/account.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

type HoldEvent = HoldPlaced | HoldRenewed | HoldCaptured | HoldReleased | HoldExpired;

/** Frees a hold whose deadline has passed. */
interface ExpireHold {
  readonly type: 'ExpireHold';
  readonly data: { readonly accountId: string; readonly holdId: string };
}

interface HoldProcess {
  readonly open: boolean;
}

const TIMER = 'expiry';
const OPEN: HoldProcess = { open: true };
const CANCEL = [{ kind: 'cancel', timer: TIMER }] as const;

const react = ({ type, data }: HoldEvent): readonly SagaAction<ExpireHold>[] => {
  switch (type) {
    case 'HoldPlaced':
    // Scheduling the timer again moves it.
    case 'HoldRenewed': {
      const { accountId, holdId, expiresAt: dueAt } = data;
      const command = { type: 'ExpireHold', data: { accountId, holdId } } as const;
      return [{ kind: 'schedule', timer: TIMER, dueAt, command }];
    }
    case 'HoldCaptured':
    case 'HoldReleased':
    case 'HoldExpired':
      return CANCEL;
  }
};

/**
 * The orphan sweep: every hold has a timer at its deadline, which a renewal moves and the terminal
 * event cancels. What a crash left open is closed by the process that runs sagas when the deadline
 * passes.
 */
export const holdExpirySaga: Saga<HoldEvent, HoldProcess, ExpireHold> = {
  name: 'hold-expiry',
  on: { HoldPlaced, HoldRenewed, HoldCaptured, HoldReleased, HoldExpired },
  key: ({ data }) => data.holdId,
  initialState: { open: false },
  evolve: (_, { type }) => (type === 'HoldPlaced' || type === 'HoldRenewed' ? OPEN : null),
  react,
};
