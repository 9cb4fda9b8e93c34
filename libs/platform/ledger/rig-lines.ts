import { type CaptureTerms, type ChargedLine } from '#events/hold.vocabulary.js';
import { dividedByLines } from '#platform/kernel/divided-charge.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';

/** How a charge names its rigs: once where one did all the work, else on the lines. */
export const onRigs = (lines: readonly ChargedLine[]): Pick<CaptureTerms, 'rig' | 'lines'> => {
  const rig = lines[0]?.rig;
  if (rig === undefined || lines.some((line) => line.rig !== rig)) {
    return { rig: null, lines: [...lines] };
  }
  return { rig, lines: lines.map(({ rig: _, ...line }) => line) };
};

/** The part of a charge for the work of one rig; null: for work without a rig. */
export interface AmountOfRig {
  readonly rig: string | null;
  readonly amount: MicroUsd;
}

interface Charged extends Pick<CaptureTerms, 'rig' | 'lines'> {
  readonly amountMicroUsd: string;
}

/** Divides a charge among the rigs that its lines name, to the micro-dollar. */
export const amountsByRig = ({ rig, lines, amountMicroUsd }: Charged): readonly AmountOfRig[] => {
  if (rig !== null || lines.every((line) => line.rig === undefined)) {
    return [{ rig, amount: fromDecimal(amountMicroUsd) }];
  }
  const parts = dividedByLines(fromDecimal(amountMicroUsd), lines, (line) => line.rig ?? '');
  return parts.map(({ part, amount }) => ({ rig: part === '' ? null : part, amount }));
};
