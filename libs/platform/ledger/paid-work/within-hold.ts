import { type ChargedLine, type Excess, type PriceLine } from '#events/hold.vocabulary.js';
import { heldMeterOf } from '#events/token-meters.js';
import { isAbove } from '../price.js';
import { upwards } from '../steps.js';

/** A held line, and the units of it that are not charged yet. */
interface Bound {
  readonly line: PriceLine;
  left: number;
  /** Lines of the charge that count against it. */
  claims: number;
}

/** A line of a charge, and the units of it that its hold covers. */
interface Claim {
  readonly line: ChargedLine;
  readonly bound: Bound | undefined;
  quantity: number;
}

/**
 * Each line up to the hold for its meter in its step or the nearest step above, and the units above
 * it. Tokens of a class that has no held line count against the held input or output. Where the
 * bound is less than the usage, the dearest units are cut.
 */
export const withinHold = (
  used: readonly ChargedLine[],
  held: readonly PriceLine[],
): { readonly charged: ChargedLine[]; readonly excess: Excess[] } => {
  const bounds: readonly Bound[] = held.map((line) => ({ line, left: line.quantity, claims: 0 }));
  const claims: readonly Claim[] = used.map((line) => {
    const bound = boundOf(line, bounds);
    if (bound) bound.claims += 1;
    return { line, bound, quantity: 0 };
  });
  // The order matters only among lines of one bound.
  const isShared = bounds.some((bound) => bound.claims > 1);
  for (const claim of isShared ? claims.toSorted(cheaperFirst) : claims) {
    const { line, bound } = claim;
    if (!bound) continue;
    claim.quantity = Math.min(line.quantity, bound.left);
    bound.left -= claim.quantity;
  }
  const excess: Excess[] = [];
  for (const { line, quantity } of claims) {
    const { step, meter, quantity: units } = line;
    if (units <= quantity) continue;
    excess.push({ ...(step !== undefined && { step }), meter, quantity: units - quantity });
  }
  return { charged: claims.map(chargedLine), excess };
};

const cheaperFirst = ({ line: one }: Claim, { line: other }: Claim): number =>
  isAbove(one, other) ? 1 : -1;

const chargedLine = ({ line, bound, quantity }: Claim): ChargedLine => {
  if (bound && !isAtPriceOf(line, bound.line)) {
    return { ...line, quantity, heldAs: bound.line.meter };
  }
  return quantity === line.quantity ? line : { ...line, quantity };
};

const boundOf = (line: ChargedLine, bounds: readonly Bound[]): Bound | undefined => {
  const { step: own, meter } = line;
  for (const step of upwards(own)) {
    const found = boundIn(step, meter, bounds) ?? boundIn(step, heldMeterOf(meter), bounds);
    if (found) return found;
  }
  return undefined;
};

const boundIn = (
  step: string | undefined,
  meter: string,
  bounds: readonly Bound[],
): Bound | undefined => {
  for (const bound of bounds) {
    if (bound.line.step === step && bound.line.meter === meter) return bound;
  }
  return undefined;
};

const isAtPriceOf = (line: ChargedLine, held: PriceLine): boolean =>
  line.meter === held.meter &&
  (line.model ?? held.model) === held.model &&
  line.unitPriceMicroUsd === held.unitPriceMicroUsd &&
  line.perUnits === held.perUnits;
