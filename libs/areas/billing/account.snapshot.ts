import { Map as ImmutableMap } from 'immutable';
import { z } from 'zod';
import { PriceLine, ProductGroup, Purpose } from '#events/hold.vocabulary.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { type SnapshotPlan } from '#platform/runtime/snapshots.js';
import { type AccountState } from './account.state.js';

const Money = z.string().transform(fromDecimal);

const Stored = z.strictObject({
  opened: z.boolean(),
  available: Money,
  deposited: Money,
  charged: Money,
  held: Money,
  // Pairs and not objects: the depositor chooses the id, and `__proto__` is one.
  holds: z.array(
    z.tuple([
      z.string(),
      z.strictObject({
        purpose: Purpose,
        group: ProductGroup,
        rateCardVersion: z.int(),
        placedAt: z.string(),
        amount: Money,
        lines: z.array(PriceLine),
        renewed: z.array(PriceLine),
        lastRenewed: z.array(PriceLine),
        expiresAt: z.string(),
      }),
    ]),
  ),
  deposits: z.array(z.tuple([z.string(), Money])),
});

/** A busy account has millions of events; a start folds at most this many of them. */
export const accountSnapshots: SnapshotPlan<AccountState> = {
  version: 1,
  every: 5_000,
  toJson: ({ opened, available, deposited, charged, held, holds, deposits }) => ({
    opened,
    available: toDecimal(available),
    deposited: toDecimal(deposited),
    charged: toDecimal(charged),
    held: toDecimal(held),
    holds: [...holds.map((hold) => ({ ...hold, amount: toDecimal(hold.amount) }))],
    deposits: [...deposits.map(toDecimal)],
  }),
  fromJson: (json) => {
    const { holds, deposits, ...rest } = Stored.parse(json);
    return { ...rest, holds: ImmutableMap(holds), deposits: ImmutableMap(deposits) };
  },
};
