import { Map as ImmutableMap } from 'immutable';
import {
  PayoutApproved,
  type PayoutEvent,
  PayoutPaid,
  PayoutRejected,
  PayoutRequested,
  type Withholding,
} from '#events/payouts/payout.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { fromDecimal, inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { reject } from './payouts.errors.js';

interface OfPayout {
  readonly beneficiary: string;
  readonly payoutId: string;
}

/** The total earnings of the beneficiary arrive with the commands that commit money. */
export type PayoutCommand =
  | { readonly type: 'RequestPayout'; readonly data: PayoutRequested['data'] }
  | {
      readonly type: 'ApprovePayout';
      readonly data: OfPayout & {
        readonly accruedMicroUsd: string;
        readonly withholding: Withholding;
        readonly approvedAt: string;
      };
    }
  | {
      readonly type: 'RejectPayout';
      readonly data: OfPayout & { readonly reason: string; readonly rejectedAt: string };
    }
  | {
      readonly type: 'PayPayout';
      readonly data: OfPayout & { readonly reference: string; readonly paidAt: string };
    };

interface Known {
  readonly requestedAt: string;
  readonly amount: MicroUsd;
  readonly status: 'requested' | 'approved' | 'rejected' | 'paid';
  /** Zero until it is approved. */
  readonly withheld: MicroUsd;
  /** Empty until it is paid. */
  readonly reference: string;
}

export interface PayeeState {
  readonly payouts: ImmutableMap<string, Known>;
  /** Asked for, and not rejected. */
  readonly committed: MicroUsd;
}

const demandAccrued = (committed: MicroUsd, accrued: MicroUsd): void => {
  if (committed <= accrued) return;
  const detail = 'the payouts of a beneficiary are at most what it has earned';
  reject('payout_above_accrued', `${detail}; ${inUsd(committed - accrued)} is missing`);
};

const request = (
  data: PayoutRequested['data'],
  { payouts, committed }: PayeeState,
): readonly PayoutEvent[] => {
  if (payouts.has(data.payoutId)) return [];
  const amount = fromDecimal(data.amountMicroUsd);
  if (amount <= 0n) reject('payout_not_positive', 'a payout must be above zero');
  demandAccrued(committed + amount, fromDecimal(data.accruedMicroUsd));
  return [PayoutRequested.of(data)];
};

const knownIn = ({ payouts }: PayeeState, payoutId: string): Known =>
  payouts.get(payoutId) ?? reject('payout_not_found', `there is no payout ${payoutId}`);

const factsOf = ({ beneficiary, payoutId }: OfPayout, { requestedAt, amount }: Known) => ({
  beneficiary,
  payoutId,
  requestedAt,
  amountMicroUsd: toDecimal(amount),
});

const approve = (
  data: (PayoutCommand & { type: 'ApprovePayout' })['data'],
  state: PayeeState,
): readonly PayoutEvent[] => {
  const { withholding, approvedAt } = data;
  const known = knownIn(state, data.payoutId);
  if (known.status === 'approved') return [];
  if (known.status !== 'requested') {
    reject('payout_not_requested', `the payout ${data.payoutId} is ${known.status}`);
  }
  demandAccrued(state.committed, fromDecimal(data.accruedMicroUsd));
  const net = known.amount - fromDecimal(withholding.withheldMicroUsd);
  if (net < 0n) throw new Error('the tax of a payout is at most its amount');
  const netMicroUsd = toDecimal(net);
  return [PayoutApproved.of({ ...factsOf(data, known), withholding, netMicroUsd, approvedAt })];
};

const decide = ({ type, data }: PayoutCommand, state: PayeeState): readonly PayoutEvent[] => {
  switch (type) {
    case 'RequestPayout':
      return request(data, state);
    case 'ApprovePayout':
      return approve(data, state);
    case 'RejectPayout': {
      const known = knownIn(state, data.payoutId);
      if (known.status === 'rejected') return [];
      if (known.status === 'paid') reject('payout_already_paid', 'what is paid is not rejected');
      const { reason, rejectedAt } = data;
      return [PayoutRejected.of({ ...factsOf(data, known), reason, rejectedAt })];
    }
    case 'PayPayout': {
      const known = knownIn(state, data.payoutId);
      const { reference, paidAt } = data;
      if (known.status === 'paid' && known.reference === reference) return [];
      if (known.status === 'paid') reject('payout_already_paid', 'a payout is paid once');
      if (known.status !== 'approved') {
        reject('payout_not_approved', `the payout ${data.payoutId} is ${known.status}`);
      }
      const withheldMicroUsd = toDecimal(known.withheld);
      const netMicroUsd = toDecimal(known.amount - known.withheld);
      const amounts = { withheldMicroUsd, netMicroUsd };
      return [PayoutPaid.of({ ...factsOf(data, known), ...amounts, reference, paidAt })];
    }
  }
};

const evolve = (state: PayeeState, { type, data }: PayoutEvent): PayeeState => {
  const { payouts, committed } = state;
  if (type === 'PayoutRequested') {
    const amount = fromDecimal(data.amountMicroUsd);
    const { requestedAt } = data;
    const known = {
      requestedAt,
      amount,
      status: 'requested',
      withheld: 0n,
      reference: '',
    } as const;
    return { payouts: payouts.set(data.payoutId, known), committed: committed + amount };
  }
  const known = payouts.get(data.payoutId);
  if (!known) return state;
  switch (type) {
    case 'PayoutApproved': {
      const withheld = fromDecimal(data.withholding.withheldMicroUsd);
      const approved = { ...known, status: 'approved', withheld } as const;
      return { ...state, payouts: payouts.set(data.payoutId, approved) };
    }
    case 'PayoutRejected': {
      const rejected = { ...known, status: 'rejected' } as const;
      return {
        payouts: payouts.set(data.payoutId, rejected),
        committed: committed - known.amount,
      };
    }
    case 'PayoutPaid': {
      const paid = { ...known, status: 'paid', reference: data.reference } as const;
      return { ...state, payouts: payouts.set(data.payoutId, paid) };
    }
  }
};

/** One beneficiary: it is never paid more than it has earned. */
export const payoutDecider: Decider<PayoutCommand, PayeeState, PayoutEvent> = {
  initialState: { payouts: ImmutableMap(), committed: 0n },
  decide,
  evolve,
};
