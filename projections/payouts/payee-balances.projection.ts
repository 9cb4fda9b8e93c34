import { beneficiaryOf, EarningsAccrued } from '#events/payouts/earning.events.js';
import {
  PayoutApproved,
  type PayoutEvent,
  PayoutPaid,
  PayoutRejected,
  PayoutRequested,
} from '#events/payouts/payout.events.js';
import { minus, plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

/** Decimal micro-dollars, before tax unless it says otherwise. */
export interface PayeeBalance {
  /** Earned in all. */
  readonly accrued: string;
  /** Asked for, and neither paid nor rejected. */
  readonly open: string;
  readonly paid: string;
  /** The tax of the payments. */
  readonly withheld: string;
}

export const NO_BALANCE: PayeeBalance = { accrued: '0', open: '0', paid: '0', withheld: '0' };

type Event = EarningsAccrued | PayoutEvent;

/** What has a beneficiary earned, asked for and got? */
export const payeeBalances: Projection<Event, PayeeBalance> = {
  name: 'payee-balances',
  version: 1,
  on: { EarningsAccrued, PayoutRequested, PayoutApproved, PayoutRejected, PayoutPaid },
  keys: ({ type, data }) =>
    type === 'EarningsAccrued'
      ? [...new Set(data.earnings.map(beneficiaryOf))]
      : [data.beneficiary],
  initial: () => NO_BALANCE,
  project: ({ type, data }, was, key) => {
    switch (type) {
      case 'EarningsAccrued': {
        const own = data.earnings.filter((earning) => beneficiaryOf(earning) === key);
        const accrued = own.reduce((sum, one) => plus(sum, one.earnedMicroUsd), was.accrued);
        return { ...was, accrued };
      }
      case 'PayoutRequested':
        return { ...was, open: plus(was.open, data.amountMicroUsd) };
      case 'PayoutApproved':
        return was;
      case 'PayoutRejected':
        return { ...was, open: minus(was.open, data.amountMicroUsd) };
      case 'PayoutPaid':
        return {
          ...was,
          open: minus(was.open, data.amountMicroUsd),
          paid: plus(was.paid, data.amountMicroUsd),
          withheld: plus(was.withheld, data.withheldMicroUsd),
        };
    }
  },
};
