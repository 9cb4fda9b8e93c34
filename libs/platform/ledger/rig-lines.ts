import { type CaptureTerms, type ChargedLine } from '#events/hold.vocabulary.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';

/** How a charge names its rigs: once where one did all the work, else on the lines. */
export const onRigs = (lines: readonly ChargedLine[]): Pick<CaptureTerms, 'rig' | 'lines'> => {
  const rig = lines[0]?.rig;
  if (rig === undefined || lines.some((line) => line.rig !== rig)) {
    return { rig: null, lines: [...lines] };
  }
  return { rig, lines: lines.map(({ rig: _, ...line }) => line) };
};

/** What of a charge is for the work of one rig; null: of none. */
export interface AmountOfRig {
  readonly rig: string | null;
  readonly amount: MicroUsd;
}

interface Charged extends Pick<CaptureTerms, 'rig' | 'lines'> {
  readonly amountMicroUsd: string;
}

/**
 * Divides a charge among the rigs that its lines name, to the micro-dollar. Each rig gets the exact
 * price of its lines, rounded down; what is left goes to the rigs with the largest fractions, a
 * micro-dollar each, and among equal fractions in the order of their names.
 */
export const amountsByRig = ({ rig, lines, amountMicroUsd }: Charged): readonly AmountOfRig[] => {
  const amount = fromDecimal(amountMicroUsd);
  if (rig !== null || lines.every((line) => line.rig === undefined)) return [{ rig, amount }];
  const divisor = lines.reduce((product, { perUnits }) => product * BigInt(perUnits), 1n);
  const dividends = new Map<string | null, bigint>();
  for (const { quantity, unitPriceMicroUsd, perUnits, rig: ofLine = null } of lines) {
    const price = BigInt(quantity) * fromDecimal(unitPriceMicroUsd) * (divisor / BigInt(perUnits));
    dividends.set(ofLine, (dividends.get(ofLine) ?? 0n) + price);
  }
  const exact = [...dividends].map(([name, dividend]) => ({
    rig: name,
    amount: dividend / divisor,
    fraction: dividend % divisor,
  }));
  let left = exact.reduce((rest, part) => rest - part.amount, amount);
  return exact.toSorted(byFraction).map((part) => {
    const more = left > 0n ? 1n : 0n;
    left -= more;
    return { rig: part.rig, amount: part.amount + more };
  });
};

interface Fraction {
  readonly rig: string | null;
  readonly fraction: bigint;
}

const byFraction = (one: Fraction, other: Fraction): number => {
  if (one.fraction !== other.fraction) return one.fraction > other.fraction ? -1 : 1;
  return (one.rig ?? '') < (other.rig ?? '') ? -1 : 1;
};
