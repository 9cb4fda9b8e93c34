import { Map as ImmutableMap, OrderedMap } from 'immutable';
import { z } from 'zod';
import { BudgetOwner } from '#events/billing/budget.events.js';
import { HoldOrigin, PriceLine, ProductGroup, Purpose } from '#events/hold.vocabulary.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { type SnapshotPlan } from '#platform/runtime/commands/snapshots.js';
import { type AccountState } from './account.state.js';

const Money = z.string().transform(fromDecimal);

const Spending = z.strictObject({
  period: z.string(),
  used: Money,
  held: Money,
  reported: z.int(),
});

const StoredBudget = z.strictObject({
  owner: BudgetOwner,
  limits: z.strictObject({
    dayMicroUsd: Money.nullable(),
    weekMicroUsd: Money.nullable(),
    monthMicroUsd: Money.nullable(),
    totalMicroUsd: Money.nullable(),
    requestsPerMinute: z.int().nullable(),
    tokensPerMinute: z.int().nullable(),
  }),
  alertPercents: z.array(z.int()),
  countsSince: z.string(),
  day: Spending,
  week: Spending,
  month: Spending,
  total: Spending,
  minute: z.strictObject({ period: z.string(), requests: z.int(), tokens: z.int() }),
});

const Taken = z.strictObject({ period: z.string(), amount: Money });

const StoredTake = z.strictObject({
  budget: z.string(),
  day: Taken,
  week: Taken,
  month: Taken,
  total: Taken,
  minute: z.strictObject({ period: z.string(), tokens: z.int() }).nullable(),
});

const Stored = z.strictObject({
  opened: z.boolean(),
  closed: z.boolean(),
  depth: z.int(),
  relatives: z.array(
    z.tuple([
      z.string(),
      z.strictObject({
        relation: z.enum(['parent', 'child', 'closed']),
        sent: Money,
        received: Money,
      }),
    ]),
  ),
  allotments: z.array(z.tuple([z.string(), z.string()])),
  allotmentCount: z.int(),
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
        ...HoldOrigin.shape,
        amount: Money,
        lines: z.array(PriceLine),
        renewed: z.array(PriceLine),
        lastRenewed: z.array(PriceLine),
        expiresAt: z.string(),
        takes: z.array(StoredTake),
      }),
    ]),
  ),
  deposits: z.array(z.tuple([z.string(), Money])),
  depositCount: z.int(),
  reversals: z.array(z.tuple([z.string(), z.strictObject({ refund: Money, chargeback: Money })])),
  reversalCount: z.int(),
  adjusted: Money,
  adjustments: z.array(z.tuple([z.string(), Money])),
  months: z.array(
    z.tuple([z.string(), z.strictObject({ deposited: Money, charged: Money, adjusted: Money })]),
  ),
  closedThrough: z.string().nullable(),
  carried: Money,
  budgets: z.array(z.tuple([z.string(), StoredBudget])),
});

/** Amounts as decimals, at every depth. */
const inDecimals = (value: unknown): unknown => {
  if (typeof value === 'bigint') return toDecimal(value);
  if (Array.isArray(value)) return value.map(inDecimals);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, field]) => [name, inDecimals(field)]));
};

/** A busy account has millions of events; a start folds at most this many of them. */
export const accountSnapshots: SnapshotPlan<AccountState> = {
  version: 8,
  every: 5_000,
  toJson: ({
    opened,
    closed,
    depth,
    relatives,
    allotments,
    allotmentCount,
    closedThrough,
    holds,
    deposits,
    reversals,
    adjustments,
    months,
    budgets,
    ...sums
  }) => ({
    opened,
    closed,
    depth,
    relatives: inDecimals([...relatives]),
    allotments: [...allotments],
    allotmentCount,
    available: toDecimal(sums.available),
    deposited: toDecimal(sums.deposited),
    charged: toDecimal(sums.charged),
    held: toDecimal(sums.held),
    adjusted: toDecimal(sums.adjusted),
    carried: toDecimal(sums.carried),
    closedThrough,
    holds: inDecimals([...holds]),
    deposits: inDecimals([...deposits]),
    depositCount: sums.depositCount,
    reversals: inDecimals([...reversals]),
    reversalCount: sums.reversalCount,
    adjustments: inDecimals([...adjustments]),
    months: inDecimals([...months]),
    budgets: inDecimals([...budgets]),
  }),
  fromJson: (json) => {
    const { relatives, allotments, holds, deposits, reversals, adjustments, months, ...rest } =
      Stored.parse(json);
    return {
      ...rest,
      relatives: ImmutableMap(relatives),
      allotments: OrderedMap(allotments),
      holds: ImmutableMap(holds),
      deposits: OrderedMap(deposits),
      reversals: ImmutableMap(reversals),
      adjustments: ImmutableMap(adjustments),
      months: ImmutableMap(months),
      budgets: ImmutableMap(rest.budgets),
    };
  },
};
