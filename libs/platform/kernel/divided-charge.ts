import { fromDecimal, type MicroUsd } from './money.js';

/** A line of a charge, as far as its price goes. */
interface PricedLine {
  readonly quantity: number;
  readonly unitPriceMicroUsd: string;
  readonly perUnits: number;
}

export interface PartOfCharge {
  readonly part: string;
  readonly amount: MicroUsd;
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
): readonly PartOfCharge[] => {
  const divisor = lines.reduce((product, { perUnits }) => product * BigInt(perUnits), 1n);
  const dividends = new Map<string, bigint>();
  for (const line of lines) {
    const { quantity, unitPriceMicroUsd, perUnits } = line;
    const part = partOf(line);
    const price = BigInt(quantity) * fromDecimal(unitPriceMicroUsd) * (divisor / BigInt(perUnits));
    dividends.set(part, (dividends.get(part) ?? 0n) + price);
  }
  const exact = [...dividends].map(([part, dividend]) => ({
    part,
    amount: dividend / divisor,
    fraction: dividend % divisor,
  }));
  let left = exact.reduce((rest, one) => rest - one.amount, amount);
  return exact.toSorted(byFraction).map(({ part, amount: least }) => {
    const more = left > 0n ? 1n : 0n;
    left -= more;
    return { part, amount: least + more };
  });
};

interface Fraction {
  readonly part: string;
  readonly fraction: bigint;
}

const byFraction = (one: Fraction, other: Fraction): number => {
  if (one.fraction !== other.fraction) return one.fraction > other.fraction ? -1 : 1;
  return one.part < other.part ? -1 : 1;
};
