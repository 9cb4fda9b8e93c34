import { type ChargedLine, type Excess, type PriceLine } from '#events/hold.vocabulary.js';
import { heldMeterOf } from '#events/token-meters.js';
import { isAbove } from '../price.js';
import { upwards } from '../steps.js';

/** A held line, and the units of it that are not charged yet. */
interface Bound {
  readonly line: PriceLine;
  left: number;
}

/**
 * Each line up to the hold for its meter in its step or the nearest step above, and the units above
 * it. Tokens of a class that has no held line count against the held input or output. Where the
 * bound is less than the usage, the dearest units are cut.
 */
export const withinHold = (
  used: readonly ChargedLine[],
  held: readonly PriceLine[],
): { readonly charged: readonly ChargedLine[]; readonly excess: Excess[] } => {
  const bounds: readonly Bound[] = held.map((line) => ({ line, left: line.quantity }));
  const quantities = new Map<ChargedLine, number>();
  for (const line of used.toSorted((one, other) => (isAbove(one, other) ? 1 : -1))) {
    const bound = boundOf(line, bounds);
    const quantity = Math.min(line.quantity, bound?.left ?? 0);
    if (bound) bound.left -= quantity;
    quantities.set(line, quantity);
  }
  const excess: Excess[] = [];
  const charged = used.map((line) => {
    const { step, meter, quantity: units } = line;
    const quantity = quantities.get(line) ?? 0;
    if (units > quantity) {
      excess.push({ ...(step !== undefined && { step }), meter, quantity: units - quantity });
    }
    const heldAs = boundOf(line, bounds)?.line;
    if (heldAs === undefined || isAtPriceOf(line, heldAs)) {
      return quantity === units ? line : { ...line, quantity };
    }
    return { ...line, quantity, heldAs: heldAs.meter };
  });
  return { charged, excess };
};

const boundOf = (line: ChargedLine, bounds: readonly Bound[]): Bound | undefined => {
  const meters = [line.meter, heldMeterOf(line.meter)];
  for (const step of upwards(line.step)) {
    for (const meter of meters) {
      const found = bounds.find((one) => one.line.step === step && one.line.meter === meter);
      if (found) return found;
    }
  }
  return undefined;
};

const isAtPriceOf = (line: ChargedLine, held: PriceLine): boolean =>
  line.meter === held.meter &&
  (line.model ?? held.model) === held.model &&
  line.unitPriceMicroUsd === held.unitPriceMicroUsd &&
  line.perUnits === held.perUnits;
