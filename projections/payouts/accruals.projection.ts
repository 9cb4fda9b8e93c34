import { EarningsAccrued } from '#events/payouts/earning.events.js';
import { plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

/** Decimal micro-dollars. */
export interface Accruals {
  /** How many events of the log have their charges divided; "0" before the first accrual. */
  readonly through: string;
  readonly charges: number;
  readonly charged: string;
  readonly earned: string;
  readonly platform: string;
}

/** The only document. */
export const ACCRUALS_KEY = 'all';

export const NO_ACCRUALS: Accruals = {
  through: '0',
  charges: 0,
  charged: '0',
  earned: '0',
  platform: '0',
};

/** How far are the charges divided, and among whom? */
export const accruals: Projection<EarningsAccrued, Accruals> = {
  name: 'earnings-accruals',
  version: 1,
  on: { EarningsAccrued },
  keys: () => [ACCRUALS_KEY],
  initial: () => NO_ACCRUALS,
  project: ({ data }, was) => ({
    through: data.through,
    charges: was.charges + data.charges,
    charged: plus(was.charged, data.chargedMicroUsd),
    earned: data.earnings.reduce(
      (sum, { earnedMicroUsd }) => plus(sum, earnedMicroUsd),
      was.earned,
    ),
    platform: plus(was.platform, data.platformMicroUsd),
  }),
};
