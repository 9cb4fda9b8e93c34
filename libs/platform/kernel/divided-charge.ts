import { fromDecimal, type MicroUsd } from './money.js';
import { type Writable } from './writable.js';

/** A line of a charge, as far as its price goes. */
interface PricedLine {
  readonly quantity: number;
  readonly unitPriceMicroUsd: string;
  readonly perUnits: number;
}

export interface PartOfCharge<Line> {
  readonly part: string;
  /** The first of its lines. */
  readonly line: Line;
  /** The units of its lines. */
  readonly quantity: bigint;
  readonly amount: MicroUsd;
}

/** A part while it is counted. */
interface Counted<Line> extends Writable<PartOfCharge<Line>> {
  /** Of the exact price of its lines: first all of it, then what is left below a micro-dollar. */
  dividend: bigint;
}

/**
 * Divides a charge among the parts that its lines are for, to the micro-dollar. Each part gets the
 * exact price of its lines, rounded down; what is left goes to the parts with the largest
 * fractions, a micro-dollar each, and among equal fractions in the order of their names.
 */
export const dividedByLines = <Line extends PricedLine>(
  amount: MicroUsd,
  lines: readonly Line[],
  partOf: (line: Line) => string,
): readonly PartOfCharge<Line>[] => {
  const divisor = commonUnitsOf(lines);
  const parts: Counted<Line>[] = [];
  let units = 0;
  let factor = 0n;
  for (const line of lines) {
    const { perUnits, unitPriceMicroUsd } = line;
    const part = partOf(line);
    const quantity = BigInt(line.quantity);
    if (perUnits !== units) {
      units = perUnits;
      factor = divisor / BigInt(units);
    }
    const dividend = quantity * fromDecimal(unitPriceMicroUsd) * factor;
    const known = partIn(parts, part);
    if (known) {
      known.quantity += quantity;
      known.dividend += dividend;
    } else parts.push({ part, line, quantity, amount: 0n, dividend });
  }
  let left = amount;
  for (const one of parts) {
    one.amount = one.dividend / divisor;
    one.dividend -= one.amount * divisor;
    left -= one.amount;
  }
  orderByFraction(parts);
  for (const one of parts) {
    if (left <= 0n) break;
    one.amount += 1n;
    left -= 1n;
  }
  return parts;
};

/** Usually of two parts, which are found faster in a list. */
const partIn = <Line>(parts: readonly Counted<Line>[], part: string): Counted<Line> | undefined => {
  for (const one of parts) if (one.part === part) return one;
  return undefined;
};

/** A multiple of the units that each price is for. */
const commonUnitsOf = (lines: readonly PricedLine[]): bigint => {
  let units = 1n;
  let last = 1;
  for (const { perUnits } of lines) {
    // Most charges have one price for the same number of units in all lines.
    if (perUnits !== last && units % BigInt(perUnits) !== 0n) units *= BigInt(perUnits);
    last = perUnits;
  }
  return units;
};

/** Usually there are two parts at most; a sort would take as long as all the rest. */
const orderByFraction = (parts: Counted<unknown>[]): void => {
  const [first, second] = parts;
  if (parts.length > 2) parts.sort(byFraction);
  else if (first && second && byFraction(first, second) > 0) parts.reverse();
};

const byFraction = (one: Counted<unknown>, other: Counted<unknown>): number => {
  if (one.dividend !== other.dividend) return one.dividend > other.dividend ? -1 : 1;
  return one.part < other.part ? -1 : 1;
};
