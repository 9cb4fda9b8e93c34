import { type ChargedLine, type Excess, type PriceLine } from '#events/hold.vocabulary.js';
import { type JobUsage } from '#events/jobs/job.events.js';

/** Units of a meter in a step; without a step they are of the whole work. */
interface Metered {
  readonly step?: string;
  readonly meter: string;
  readonly quantity: number;
}

const keyOf = ({ step, meter }: Metered): string => `${step ?? ''}\n${meter}`;

const usageKeyOf = (usage: JobUsage): string => `${keyOf(usage)}\n${usage.rig ?? ''}`;

/** Usage never falls: of each meter in each step on each rig, the larger of both. */
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

/** The step, and every step above it, the nearest first; the whole work is above all. */
const upwards = (step: string | undefined): readonly (string | undefined)[] => {
  if (step === undefined) return [undefined];
  const names = step.split('/');
  return [...names.map((_, index) => names.slice(0, names.length - index).join('/')), undefined];
};

/**
 * Charges each used unit to a held line of its meter: in its own step or, where nothing is left
 * there, in the nearest step above it.
 */
export const chargedLines = (
  held: readonly PriceLine[],
  usage: readonly JobUsage[],
): ChargedLines => {
  const open: readonly Held[] = held.map((line) => ({ line, rest: line.quantity }));
  const lines: ChargedLine[] = [];
  const excess: Excess[] = [];
  for (const { quantity: used, ...place } of usage) {
    let left = used;
    for (const step of upwards(place.step)) {
      for (const one of open.filter(
        ({ line }) => line.meter === place.meter && line.step === step,
      )) {
        const quantity = Math.min(left, one.rest);
        if (quantity === 0) continue;
        const { step: _step, quantity: _held, ...price } = one.line;
        lines.push({ ...place, ...price, quantity });
        one.rest -= quantity;
        left -= quantity;
      }
    }
    const { rig: _, ...claimed } = place;
    if (left > 0) excess.push({ ...claimed, quantity: left });
  }
  return { lines, excess };
};

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
