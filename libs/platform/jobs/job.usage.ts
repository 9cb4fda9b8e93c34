import { type ChargedLine, type Excess, type PriceLine } from '#events/hold.vocabulary.js';
import { type JobUsage } from '#events/jobs/job.events.js';
import { heldMeterOf } from '#events/token-meters.js';
import { isAbove } from '#platform/ledger/price.js';
import { upwards } from '#platform/ledger/steps.js';

/** Units of a meter in a step; without a step they are of the whole work. */
interface Metered {
  readonly step?: string;
  readonly meter: string;
  readonly quantity: number;
}

const keyOf = ({ step, meter }: Metered): string => `${step ?? ''}\n${meter}`;

const usageKeyOf = (usage: JobUsage): string =>
  `${keyOf(usage)}\n${usage.rig ?? ''}\n${usage.price ? JSON.stringify(usage.price) : ''}`;

/** Usage never falls: of each meter in each step on each rig at each price, the larger of both. */
export const raised = (
  before: readonly JobUsage[],
  reported: readonly JobUsage[],
): readonly JobUsage[] => {
  const byKey = new Map<string, JobUsage>();
  for (const one of [...before, ...reported]) {
    const known = byKey.get(usageKeyOf(one))?.quantity ?? 0;
    byKey.set(usageKeyOf(one), { ...one, quantity: Math.max(one.quantity, known) });
  }
  return [...byKey.values()];
};

/** The charged part of the usage. */
export interface ChargedLines {
  /** At most what is held, each at the price of the held line that it is charged to. */
  readonly lines: readonly ChargedLine[];
  /** Used above what is held; never charged. */
  readonly excess: readonly Excess[];
}

/** A held line and the units of it that are not charged yet. */
interface Held {
  readonly line: PriceLine;
  rest: number;
}

/** The cheapest first: where the hold is too small, the dearest units are cut. */
const byPrice = ({ price: one }: JobUsage, { price: other }: JobUsage): number =>
  one && other && isAbove(one, other) ? 1 : -1;

/**
 * Charges each used unit to a held line of its meter: in its own step or, where nothing is left
 * there, in the nearest step above it. A unit with a price of its own costs that, and never more
 * than the held one.
 */
export const chargedLines = (
  held: readonly PriceLine[],
  usage: readonly JobUsage[],
): ChargedLines => {
  const open: readonly Held[] = held.map((line) => ({ line, rest: line.quantity }));
  const lines: ChargedLine[] = [];
  const excess: Excess[] = [];
  const priced = usage.filter(({ price }) => price !== undefined).toSorted(byPrice);
  for (const one of [...usage.filter(({ price }) => price === undefined), ...priced]) {
    let left = one.quantity;
    const meter = heldMeterOf(one.meter);
    for (const step of upwards(one.step)) {
      for (const bound of open.filter(({ line }) => line.step === step && line.meter === meter)) {
        const quantity = Math.min(left, bound.rest);
        if (quantity === 0) continue;
        lines.push(lineOf(one, bound.line, quantity));
        bound.rest -= quantity;
        left -= quantity;
      }
    }
    const { rig: _rig, price: _price, ...claimed } = one;
    if (left > 0) excess.push({ ...claimed, quantity: left });
  }
  return { lines, excess };
};

const lineOf = (
  { price: own, ...place }: JobUsage,
  { step: _step, quantity: _held, meter, ...held }: PriceLine,
  quantity: number,
): ChargedLine => {
  const { model } = held;
  const price = own && !isAbove(own, held) ? own : held;
  const line = { ...place, ...(model !== undefined && { model }), ...price, quantity };
  return isAlike(line, { ...held, meter }) ? line : { ...line, heldAs: meter };
};

/** Whether both lines are of one meter and model, at one price. */
const isAlike = (one: Omit<PriceLine, 'step'>, other: Omit<PriceLine, 'step' | 'quantity'>) =>
  one.meter === other.meter &&
  one.model === other.model &&
  one.unitPriceMicroUsd === other.unitPriceMicroUsd &&
  one.perUnits === other.perUnits;

/**
 * The lines that a renewal adds, so that `ahead` stays held above what is used; at the price of the
 * first held line of the meter in the step.
 */
export const missingLines = (
  held: readonly PriceLine[],
  usage: readonly JobUsage[],
  ahead: readonly JobUsage[],
): readonly PriceLine[] => {
  const sum = (all: readonly Metered[], key: string): number =>
    all.reduce((total, one) => total + (keyOf(one) === key ? one.quantity : 0), 0);
  return ahead.flatMap((wanted) => {
    const key = keyOf(wanted);
    const priced = held.find((line) => keyOf(line) === key);
    const quantity = sum(usage, key) + wanted.quantity - sum(held, key);
    return priced && quantity > 0 ? [{ ...priced, quantity }] : [];
  });
};
