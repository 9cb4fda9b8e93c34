import { heldMeterOf, INPUT_METER, OUTPUT_METER } from '#events/token-meters.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';

/** The usage and the cost of one step of a consensus. */
export interface CostBranch {
  readonly step: string;
  readonly model: string;
  readonly rig: string | null;
  /** Of every class. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Exact, in USD with twelve decimals; the charge is their sum, rounded up to a micro-dollar. */
  readonly cost_usd: string;
}

/** Decimals of a micro-dollar that a price for a million tokens can give. */
const DECIMALS = 6;
const SCALE = 10n ** BigInt(DECIMALS);

/** @param lines the lines of the charge, each with its model */
export const costTreeOf = (lines: readonly ChargedLine[]): readonly CostBranch[] => {
  const steps = [...new Set(lines.map(branchOf))];
  return steps.map((step) => {
    const own = lines.filter((line) => branchOf(line) === step);
    const unitsOf = (side: string): number =>
      own.reduce(
        (sum, { meter, quantity }) => sum + (heldMeterOf(meter) === side ? quantity : 0),
        0,
      );
    return {
      step,
      model: own[0]?.model ?? '',
      rig: own[0]?.rig ?? null,
      input_tokens: unitsOf(INPUT_METER),
      output_tokens: unitsOf(OUTPUT_METER),
      cost_usd: usdOf(own),
    };
  });
};

/** Further calls of models are steps below. */
const branchOf = ({ step = '' }: ChargedLine): string => step.split('/')[0] ?? '';

const usdOf = (lines: readonly ChargedLine[]): string => {
  const picoUsd = lines.reduce(
    (sum, { quantity, unitPriceMicroUsd, perUnits }) =>
      sum + (BigInt(quantity) * BigInt(unitPriceMicroUsd) * SCALE) / BigInt(perUnits),
    0n,
  );
  const digits = picoUsd.toString().padStart(2 * DECIMALS + 1, '0');
  return `${digits.slice(0, -2 * DECIMALS)}.${digits.slice(-2 * DECIMALS)}`;
};
