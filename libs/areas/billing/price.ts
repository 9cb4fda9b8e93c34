import { type ChargedLine, type PriceLine } from '#events/hold.vocabulary.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { type Shrink } from '#platform/ledger/hold.js';
import { isAbove, priceOf } from '#platform/ledger/price.js';

/** The key of units that are counted at one price in one step. */
const keyOf = ({ meter, model, unitPriceMicroUsd, perUnits }: PriceLine, step: string): string =>
  `${step}\n${meter}\n${model ?? ''}\n${unitPriceMicroUsd}\n${perUnits}`;

const ROOT = '';

/** Whether both are counted at one price in one step. */
const isAlike = (one: PriceLine, other: PriceLine): boolean =>
  one.meter === other.meter &&
  one.model === other.model &&
  one.unitPriceMicroUsd === other.unitPriceMicroUsd &&
  one.perUnits === other.perUnits &&
  (one.step ?? ROOT) === (other.step ?? ROOT);

const parentOf = (step: string): string => step.slice(0, Math.max(0, step.lastIndexOf('/')));

/**
 * Whether the lines can be charged to a hold of these lines: each at the price of held lines of the
 * same meter in its step or, where nothing is left there, in the nearest step above it; together
 * they use no more units than those lines have. A held line without a step is above every step. A
 * line that names another meter (`heldAs`) counts against the held lines of that meter, at most at
 * their price, whose model may be another one.
 */
export const isWithin = (lines: readonly ChargedLine[], held: readonly PriceLine[]): boolean => {
  if (isWithinInOrder(lines, held)) return true;
  const unused = new Map<string, Unused>();
  for (const line of held) {
    const key = keyOf(line, line.step ?? ROOT);
    const units = (unused.get(key)?.units ?? 0n) + BigInt(line.quantity);
    unused.set(key, { line, units });
  }
  return lines.every((line) => {
    const bounds = boundsOf(line, unused);
    let left = BigInt(line.quantity);
    for (const bound of bounds) {
      const taken = left < bound.units ? left : bound.units;
      bound.units -= taken;
      left -= taken;
    }
    return bounds.length > 0 && left === 0n;
  });
};

/** A held line, and the units of it that no line was charged to yet. */
interface Unused {
  readonly line: PriceLine;
  units: bigint;
}

/** The usual charge: the lines of its hold, each with no more units. It needs no keys. */
const isWithinInOrder = (lines: readonly ChargedLine[], held: readonly PriceLine[]): boolean => {
  if (lines.length > held.length) return false;
  return lines.every((line, index) => {
    const above = held[index];
    return (
      above !== undefined &&
      line.heldAs === undefined &&
      isAlike(line, above) &&
      line.quantity <= above.quantity
    );
  });
};

/** The held lines that the line may be charged to, those of its step first, then those above. */
const boundsOf = (line: ChargedLine, held: ReadonlyMap<string, Unused>): readonly Unused[] => {
  const bounds: Unused[] = [];
  for (let step = line.step ?? ROOT; ; step = parentOf(step)) {
    bounds.push(...boundsIn(step, line, held));
    if (step === ROOT) return bounds;
  }
};

const boundsIn = (
  step: string,
  line: ChargedLine,
  held: ReadonlyMap<string, Unused>,
): readonly Unused[] => {
  const { heldAs } = line;
  if (heldAs === undefined) return [held.get(keyOf(line, step)) ?? []].flat();
  const bounds = [...held.values()].filter(
    ({ line: bound }) =>
      bound.meter === heldAs && (bound.step ?? ROOT) === step && !isAbove(line, bound),
  );
  const isOfModel = ({ line: bound }: Unused): boolean => bound.model === line.model;
  return [...bounds.filter(isOfModel), ...bounds.filter((bound) => !isOfModel(bound))];
};

/** One line for all units that are counted at one price in one step. */
export const merged = (lines: readonly PriceLine[]): readonly PriceLine[] => {
  const [first, second] = lines;
  if (!first || !second || (lines.length === 2 && !isAlike(first, second))) return lines;
  const byKey = new Map<string, PriceLine>();
  for (const line of lines) {
    const key = keyOf(line, line.step ?? ROOT);
    byKey.set(key, { ...line, quantity: line.quantity + (byKey.get(key)?.quantity ?? 0) });
  }
  return [...byKey.values()];
};

/**
 * Cuts the lines of one meter in one step to the largest quantity whose total price is within the
 * budget, but never below `atLeast`; lines that fit already come back unchanged.
 */
export const affordable = (
  lines: readonly PriceLine[],
  { step, meter, atLeast }: Shrink,
  budget: MicroUsd,
): readonly PriceLine[] => {
  const isCut = (line: PriceLine): boolean => line.meter === meter && line.step === step;
  const withQuantity = (most: number): readonly PriceLine[] =>
    lines.map((line) =>
      isCut(line) ? { ...line, quantity: Math.min(line.quantity, most) } : line,
    );
  const wanted = Math.max(0, ...lines.filter(isCut).map(({ quantity }) => quantity));
  if (wanted <= atLeast || priceOf(lines) <= budget) return lines;
  let [fits, tooMuch] = [atLeast, wanted];
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    if (priceOf(withQuantity(middle)) <= budget) fits = middle;
    else tooMuch = middle;
  }
  return withQuantity(fits);
};
