import { Map as ImmutableMap } from 'immutable';
import {
  type Beneficiary,
  beneficiaryOf,
  EarningsAccrued,
} from '#events/payouts/earning.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type Fractions } from './fractions.js';
import { reject } from './payouts.errors.js';

export interface AccrueEarnings {
  readonly type: 'AccrueEarnings';
  readonly data: EarningsAccrued['data'];
}

/** The earnings of a beneficiary since the first charge. */
export interface EarnedInAll extends Fractions {
  readonly total: MicroUsd;
}

export interface AccrualState {
  /** How many events of the log have their charges divided; "0" before the first accrual. */
  readonly through: string;
  readonly earned: ImmutableMap<Beneficiary, EarnedInAll>;
}

const demandWhole = ({ chargedMicroUsd, platformMicroUsd, earnings }: EarningsAccrued['data']) => {
  const parts = earnings.reduce(
    (sum, { earnedMicroUsd }) => sum + fromDecimal(earnedMicroUsd),
    fromDecimal(platformMicroUsd),
  );
  if (parts === fromDecimal(chargedMicroUsd)) return;
  throw new Error(`the shares of the charges are ${parts}, and the charges ${chargedMicroUsd}`);
};

const decide = ({ data }: AccrueEarnings, state: AccrualState): readonly EarningsAccrued[] => {
  const isFirst = state.through === '0';
  if (!isFirst && data.after !== state.through) {
    reject('accrual_conflict', `charges are divided up to ${state.through}, not ${data.after}`);
  }
  demandWhole(data);
  return [EarningsAccrued.of(data)];
};

const evolve = (state: AccrualState, { data }: EarningsAccrued): AccrualState => ({
  through: data.through,
  earned: state.earned.withMutations((all) => {
    const totalOf = (beneficiary: Beneficiary): MicroUsd => all.get(beneficiary)?.total ?? 0n;
    for (const { beneficiary, gross, earned } of data.carried) {
      const fractions = { gross: fromDecimal(gross), earned: fromDecimal(earned) };
      all.set(beneficiary, { total: totalOf(beneficiary), ...fractions });
    }
    for (const earning of data.earnings) {
      const beneficiary = beneficiaryOf(earning);
      const total = totalOf(beneficiary) + fromDecimal(earning.earnedMicroUsd);
      all.set(beneficiary, { ...(all.get(beneficiary) ?? { gross: 0n, earned: 0n }), total });
    }
  }),
});

/** The division of all charges: ranges of the log, one behind the other. */
export const accrualDecider: Decider<AccrueEarnings, AccrualState, EarningsAccrued> = {
  initialState: { through: '0', earned: ImmutableMap() },
  decide,
  evolve,
};
