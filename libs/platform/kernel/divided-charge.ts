import { fromDecimal, type MicroUsd } from './money.js';

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

/** A part while it is computed. */
interface Priced<Line> extends PartOfCharge<Line> {
  quantity: bigint;
  amount: MicroUsd;
  /** Of a micro-dollar, of which the divisor is the whole: first the exact price of its lines. */
  fraction: bigint;
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
  const priced = new Map<string, Priced<Line>>();
  let perUnits = 0;
  let factor = 0n;
  for (const line of lines) {
    if (line.perUnits !== perUnits) {
      perUnits = line.perUnits;
      factor = divisor / BigInt(perUnits);
    }
    const part = partOf(line);
    const quantity = BigInt(line.quantity);
    const price = quantity * fromDecimal(line.unitPriceMicroUsd) * factor;
    const known = priced.get(part);
    if (known) {
      known.quantity += quantity;
      known.fraction += price;
    } else priced.set(part, { part, line, quantity, amount: 0n, fraction: price });
  }
  let left = amount;
  const parts = [...priced.values()];
  for (const one of parts) {
    one.amount = one.fraction / divisor;
    one.fraction -= one.amount * divisor;
    left -= one.amount;
  }
  parts.sort(byFraction);
  for (const one of parts) {
    if (left <= 0n) break;
    one.amount += 1n;
    left -= 1n;
  }
  return parts;
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

interface Fraction {
  readonly part: string;
  readonly fraction: bigint;
}

const byFraction = (one: Fraction, other: Fraction): number => {
  if (one.fraction !== other.fraction) return one.fraction > other.fraction ? -1 : 1;
  return one.part < other.part ? -1 : 1;
};
