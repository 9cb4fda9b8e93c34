import { ChargeAdjusted, HoldCaptured } from '#events/billing/account.events.js';
import { instantOf, monthOf, startOfMonth } from '#events/billing/statement-month.js';
import { dividedByLines } from '#platform/kernel/divided-charge.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';
import { textBits } from '#platform/kernel/text-bits.js';

/** The dimensions of spend. Null: it has none, or the level does not tell them apart. */
export interface SpendPlace {
  /** A correction is no usage, and has no other dimension. */
  readonly kind: 'usage' | ChargeAdjusted['data']['kind'];
  /** `YYYY-MM`: the month that is corrected. */
  readonly corrects: string | null;
  readonly product: string | null;
  readonly key: string | null;
  readonly endUser: string | null;
  readonly model: string | null;
  readonly rig: string | null;
  readonly tags: readonly string[];
  /** The class of the units. */
  readonly meter: string | null;
}

/** The units and the amount of one place in a quarter of an hour. */
export interface SpendCell extends SpendPlace {
  /** A decimal string: the sum may be above 2^53. */
  readonly quantity: string;
  /** Decimal micro-dollars; below zero where it was given back. */
  readonly amount: string;
}

export interface SpendDocument {
  readonly cells: readonly SpendCell[];
}

/**
 * `plain` tells neither end users nor tags apart, so its size does not depend on how many a caller
 * has; `labelled` tells everything apart.
 */
export const SPEND_LEVELS = ['plain', 'labelled'] as const;
export type SpendLevel = (typeof SPEND_LEVELS)[number];

/** Places that share a key; beyond, the labels of further ones are dropped and the sum is kept. */
export const CELLS_MAX = 200;

type SpendEvent = HoldCaptured | ChargeAdjusted;

const NOWHERE: SpendPlace = {
  ...{ kind: 'usage', corrects: null, product: null, key: null, endUser: null },
  ...{ model: null, rig: null, tags: [], meter: null },
};

export const spendPrefix = (level: SpendLevel, accountId = ''): string =>
  accountId === '' ? `${level}/` : `${level}/${accountId}/`;

/** An account and the instant at which the documents of a key begin. */
export const ofSpendKey = (key: string): { readonly accountId: string; readonly at: string } => {
  const [, accountId = '', at = ''] = key.split('/');
  return { accountId, at: `${at}:00.000Z` };
};

const MINUTES = 15;
const HOUR = 'YYYY-MM-DDTHH:'.length;

/** The quarter of an hour in UTC, `YYYY-MM-DDTHH:MM`: no time zone has its midnight within one. */
export const quarterOf = (instant: string): string => {
  const minute = Number(instant.slice(HOUR, HOUR + 2));
  const begun = minute - (minute % MINUTES);
  return `${instant.slice(0, HOUR)}${String(begun).padStart(2, '0')}`;
};

/** A movement of a closed month counts from the start of the month whose statement has it. */
const spentAt = (event: SpendEvent): string => {
  const { bookedIn } = event.data;
  const at = instantOf(event);
  return bookedIn === undefined || bookedIn === monthOf(at) ? at : startOfMonth(bookedIn);
};

interface PartName {
  readonly model: string | null;
  readonly rig: string | null;
  readonly meter: string;
}

const chargedCells = ({ data }: HoldCaptured): readonly SpendCell[] => {
  const { purpose: product, key = null, endUser = null, tags = [], model = null, rig } = data;
  const of: SpendPlace = { ...NOWHERE, product, key, endUser, tags };
  const partOf = (line: (typeof data.lines)[number]): string => {
    const part = { model: line.model ?? model, rig: line.rig ?? rig, meter: line.meter };
    return JSON.stringify(part satisfies PartName);
  };
  const quantities = new Map<string, bigint>();
  for (const line of data.lines) {
    const part = partOf(line);
    quantities.set(part, (quantities.get(part) ?? 0n) + BigInt(line.quantity));
  }
  const parts = dividedByLines(fromDecimal(data.amountMicroUsd), data.lines, partOf);
  return parts.map(({ part, amount }) => ({
    ...of,
    ...(JSON.parse(part) as PartName),
    quantity: (quantities.get(part) ?? 0n).toString(),
    amount: toDecimal(amount),
  }));
};

const cellsOf = (event: SpendEvent): readonly SpendCell[] => {
  if (event.type === 'HoldCaptured') return chargedCells(event);
  const { kind, amountMicroUsd, refersTo } = event.data;
  const amount = toDecimal(-fromDecimal(amountMicroUsd));
  return [{ ...NOWHERE, kind, corrects: refersTo.month, quantity: '0', amount }];
};

const atLevel = (level: SpendLevel, cell: SpendCell): SpendCell =>
  level === 'labelled' ? cell : { ...cell, endUser: null, tags: [] };

/** All dimensions but the class: the classes of a charge share a document. */
const groupOf = ({ kind, corrects, product, key, endUser, model, rig, tags }: SpendPlace) =>
  JSON.stringify([kind, corrects, product, key, endUser, model, rig, tags]);

const hasSameTags = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((tag, at) => tag === other[at]);

const isSame = (one: SpendPlace, other: SpendPlace): boolean =>
  one.meter === other.meter &&
  one.model === other.model &&
  one.rig === other.rig &&
  one.key === other.key &&
  one.endUser === other.endUser &&
  one.product === other.product &&
  one.kind === other.kind &&
  one.corrects === other.corrects &&
  hasSameTags(one.tags, other.tags);

const plus = (sum: string, more: string): string => toDecimal(fromDecimal(sum) + fromDecimal(more));

const added = (cells: readonly SpendCell[], cell: SpendCell): readonly SpendCell[] => {
  const at = cells.findIndex((one) => isSame(one, cell));
  const found = cells[at];
  if (found) {
    const { quantity, amount } = cell;
    const sum = {
      ...found,
      quantity: plus(found.quantity, quantity),
      amount: plus(found.amount, amount),
    };
    return cells.with(at, sum);
  }
  const { kind, corrects, meter } = cell;
  const nameless = { ...cell, ...NOWHERE, kind, corrects, meter };
  if (cells.length < CELLS_MAX || isSame(cell, nameless)) return [...cells, cell];
  return added(cells, nameless);
};

/** Cells by the key of their document. */
type Placed = ReadonlyMap<string, readonly SpendCell[]>;

const placesOf = (event: SpendEvent): Placed => {
  const quarter = quarterOf(spentAt(event));
  const cells = cellsOf(event);
  const placedCells = SPEND_LEVELS.flatMap((level) => {
    const prefix = `${spendPrefix(level, event.data.accountId)}${quarter}/`;
    return cells.map((one) => {
      const cell = atLevel(level, one);
      return { key: `${prefix}${textBits(groupOf(cell))}`, cell };
    });
  });
  const byKey = new Map<string, SpendCell[]>();
  for (const { key, cell } of placedCells) {
    const known = byKey.get(key);
    if (known) known.push(cell);
    else byKey.set(key, [cell]);
  }
  return byKey;
};

/** A fold asks for the places of an event once for its keys and once for each of them. */
const places = new WeakMap<SpendEvent, Placed>();

const placed = (event: SpendEvent): Placed => {
  const found = places.get(event);
  if (found) return found;
  const made = placesOf(event);
  places.set(event, made);
  return made;
};

/**
 * The spend of an account by its labels: a document for each group of dimensions in a quarter of an
 * hour, so that a day of any time zone is a range of keys. Groups whose names have the same bits
 * share one.
 */
export const spend: Projection<SpendEvent, SpendDocument> = {
  name: 'spend',
  version: 1,
  on: { HoldCaptured, ChargeAdjusted },
  keys: (event) => [...placed(event).keys()],
  initial: () => ({ cells: [] }),
  project: (event, { cells }, key) => ({
    cells: (placed(event).get(key) ?? []).reduce(added, cells),
  }),
};
