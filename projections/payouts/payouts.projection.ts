import {
  PayoutApproved,
  type PayoutEvent,
  PayoutPaid,
  PayoutRejected,
  PayoutRequested,
  type Withholding,
} from '#events/payouts/payout.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export type PayoutStatus = 'requested' | 'approved' | 'rejected' | 'paid';

/** Money as decimal micro-dollars. */
export interface Payout {
  readonly beneficiary: string;
  readonly payoutId: string;
  readonly status: PayoutStatus;
  readonly amount: string;
  /** Null until it is approved. */
  readonly withholding: Withholding | null;
  /** The amount less the tax; null until it is approved. */
  readonly net: string | null;
  readonly requestedAt: string;
  readonly approvedAt: string | null;
  /** When it was paid or rejected. */
  readonly endedAt: string | null;
  /** Why it was rejected. */
  readonly reason: string | null;
  /** Of the transfer. */
  readonly reference: string | null;
}

/** Null until the payout is requested. */
export interface PayoutDocument {
  readonly payout: Payout | null;
}

const on = { PayoutRequested, PayoutApproved, PayoutRejected, PayoutPaid };

const requested = (data: PayoutRequested['data']): Payout => ({
  beneficiary: data.beneficiary,
  payoutId: data.payoutId,
  status: 'requested',
  amount: data.amountMicroUsd,
  withholding: null,
  net: null,
  requestedAt: data.requestedAt,
  approvedAt: null,
  endedAt: null,
  reason: null,
  reference: null,
});

const project = ({ type, data }: PayoutEvent, { payout }: PayoutDocument): PayoutDocument => {
  if (type === 'PayoutRequested') return { payout: requested(data) };
  if (!payout) return { payout };
  switch (type) {
    case 'PayoutApproved': {
      const { withholding, netMicroUsd: net, approvedAt } = data;
      return { payout: { ...payout, status: 'approved', withholding, net, approvedAt } };
    }
    case 'PayoutRejected': {
      const { reason, rejectedAt: endedAt } = data;
      return { payout: { ...payout, status: 'rejected', reason, endedAt } };
    }
    case 'PayoutPaid': {
      const { reference, paidAt: endedAt } = data;
      return { payout: { ...payout, status: 'paid', reference, endedAt } };
    }
  }
};

/** Which payouts has a beneficiary asked for? Keys of one beneficiary order by time. */
export const payouts: Projection<PayoutEvent, PayoutDocument> = {
  name: 'payouts',
  version: 1,
  on,
  keys: ({ data }) => [`${data.beneficiary}/${data.requestedAt}/${data.payoutId}`],
  initial: () => ({ payout: null }),
  project,
};

/** Which payouts wait for an Admin? Keys order by time. */
export const openPayouts: Projection<PayoutEvent, PayoutDocument> = {
  name: 'open-payouts',
  version: 1,
  on,
  keys: ({ data }) => [`${data.requestedAt}/${data.payoutId}`],
  initial: () => ({ payout: null }),
  project: (event, document) =>
    event.type === 'PayoutPaid' || event.type === 'PayoutRejected'
      ? null
      : project(event, document),
};
