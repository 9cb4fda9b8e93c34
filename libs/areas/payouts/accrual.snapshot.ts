import { Map as ImmutableMap } from 'immutable';
import { z } from 'zod';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { type SnapshotPlan } from '#platform/runtime/commands/snapshots.js';
import { type AccrualState } from './accrual.decider.js';

const Amount = z.string().transform(fromDecimal);

const Stored = z.strictObject({
  through: z.string(),
  earned: z.array(
    z.tuple([z.string(), z.strictObject({ total: Amount, gross: Amount, earned: Amount })]),
  ),
});

/** A busy installation has an accrual every second; a start folds at most this many of them. */
export const accrualSnapshots: SnapshotPlan<AccrualState> = {
  version: 1,
  every: 1_000,
  toJson: ({ through, earned }) => ({
    through,
    earned: [
      ...earned.map(({ total, ...fractions }) => ({
        total: toDecimal(total),
        gross: toDecimal(fractions.gross),
        earned: toDecimal(fractions.earned),
      })),
    ],
  }),
  fromJson: (json) => {
    const { through, earned } = Stored.parse(json);
    return { through, earned: ImmutableMap(earned) };
  },
};
