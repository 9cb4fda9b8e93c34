import { ChargeAdjusted, HoldCaptured } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { instantOf, monthOf, startOfMonth } from '#events/billing/statement-month.js';
import { dividedByLines } from '#platform/kernel/divided-charge.js';
import { fromDecimal, plus, toDecimal } from '#platform/kernel/money.js';
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

const NO_TAGS: readonly string[] = [];

const NOWHERE: SpendPlace = {
  ...{ kind: 'usage', corrects: null, product: null, key: null, endUser: null },
  ...{ model: null, rig: null, tags: NO_TAGS, meter: null },
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

/** Whether a line names neither a model nor a rig: it is of the charge's own. */
const isOfTheCharge = (line: ChargedLine): boolean =>
  line.model === undefined && line.rig === undefined;

const chargedCells = ({ data }: HoldCaptured): readonly SpendCell[] => {
  const { purpose: product, key = null, endUser = null, tags = NO_TAGS, model = null, rig } = data;
  // Most charges are of one model and one rig.
  const partOf = data.lines.every(isOfTheCharge)
    ? ({ meter }: ChargedLine): string => meter
    : (line: ChargedLine): string =>
        JSON.stringify({ model: line.model ?? model, rig: line.rig ?? rig, meter: line.meter });
  const parts = dividedByLines(fromDecimal(data.amountMicroUsd), data.lines, partOf);
  return parts.map(({ line, quantity, amount }) => ({
    kind: 'usage',
    corrects: null,
    product,
    key,
    endUser,
    model: line.model ?? model,
    rig: line.rig ?? rig,
    tags,
    meter: line.meter,
    quantity: quantity.toString(),
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
  level === 'labelled' || (cell.endUser === null && cell.tags.length === 0)
    ? cell
    : { ...cell, endUser: null, tags: NO_TAGS };

/** All dimensions but the class: the classes of a charge share a document. */
const groupOf = ({ kind, corrects, product, key, endUser, model, rig, tags }: SpendPlace) =>
  JSON.stringify([kind, corrects, product, key, endUser, model, rig, tags]);

const hasSameTags = (one: readonly string[], other: readonly string[]): boolean =>
  one === other || (one.length === other.length && one.every((tag, at) => tag === other[at]));

const isSameGroup = (one: SpendPlace, other: SpendPlace): boolean =>
  one.model === other.model &&
  one.rig === other.rig &&
  one.key === other.key &&
  one.endUser === other.endUser &&
  one.product === other.product &&
  one.kind === other.kind &&
  one.corrects === other.corrects &&
  hasSameTags(one.tags, other.tags);

const isSame = (one: SpendPlace, other: SpendPlace): boolean =>
  one.meter === other.meter && isSameGroup(one, other);

const sumOf = (found: SpendCell, { quantity, amount }: SpendCell): SpendCell => ({
  kind: found.kind,
  corrects: found.corrects,
  product: found.product,
  key: found.key,
  endUser: found.endUser,
  model: found.model,
  rig: found.rig,
  tags: found.tags,
  meter: found.meter,
  quantity: plus(found.quantity, quantity),
  amount: plus(found.amount, amount),
});

const addTo = (cells: SpendCell[], cell: SpendCell): void => {
  const at = cells.findIndex((one) => isSame(one, cell));
  const found = cells[at];
  if (found) {
    cells[at] = sumOf(found, cell);
    return;
  }
  const { kind, corrects, meter } = cell;
  const nameless = { ...cell, ...NOWHERE, kind, corrects, meter };
  if (cells.length < CELLS_MAX || isSame(cell, nameless)) cells.push(cell);
  else addTo(cells, nameless);
};

/** The cells of one document. */
interface Placed {
  readonly key: string;
  readonly cells: SpendCell[];
}

/** The keys of both documents of a group in a quarter of an hour. */
interface GroupKeys {
  readonly group: SpendPlace;
  readonly accountId: string;
  readonly quarter: string;
  readonly keys: Readonly<Record<SpendLevel, string>>;
}

/** The last group of each API key: one charge after another has it. */
const latestKeys = new Map<string | null, GroupKeys>();
const LATEST_MAX = 10_000;

const groupKeysOf = (cell: SpendCell, accountId: string, quarter: string): GroupKeys => {
  const latest = latestKeys.get(cell.key);
  const isLatest =
    latest?.accountId === accountId &&
    latest.quarter === quarter &&
    isSameGroup(latest.group, cell);
  if (isLatest) return latest;
  const keyAt = (level: SpendLevel): string =>
    `${spendPrefix(level, accountId)}${quarter}/${textBits(groupOf(atLevel(level, cell)))}`;
  const keys = { plain: keyAt('plain'), labelled: keyAt('labelled') };
  const made = { group: cell, accountId, quarter, keys };
  if (latestKeys.size >= LATEST_MAX) latestKeys.clear();
  latestKeys.set(cell.key, made);
  return made;
};

const placesOf = (event: SpendEvent): readonly Placed[] => {
  const quarter = quarterOf(spentAt(event));
  const cells = cellsOf(event);
  const places: Placed[] = [];
  for (const level of SPEND_LEVELS) {
    for (const cell of cells) {
      const key = groupKeysOf(cell, event.data.accountId, quarter).keys[level];
      const known = places.find((place) => place.key === key);
      const placed = atLevel(level, cell);
      if (known) known.cells.push(placed);
      else places.push({ key, cells: [placed] });
    }
  }
  return places;
};

/** A fold asks for the places of an event for its keys, and then for each of them. */
let latest: { readonly event: SpendEvent; readonly places: readonly Placed[] } | undefined;

const placed = (event: SpendEvent): readonly Placed[] => {
  if (latest?.event !== event) latest = { event, places: placesOf(event) };
  return latest.places;
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
  keys: (event) => placed(event).map(({ key }) => key),
  initial: () => ({ cells: [] }),
  project: (event, document, key) => {
    const cells = [...document.cells];
    const place = placed(event).find((one) => one.key === key);
    for (const cell of place?.cells ?? []) addTo(cells, cell);
    return { cells };
  },
};
