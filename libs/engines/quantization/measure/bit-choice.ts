/** Chooses a coding for each tensor by measured losses, under a limit of memory. */
import { type Coding } from '../codings.js';

export interface CodingOption {
  readonly coding: Coding;
  readonly bytes: number;
  /** The divergence of the model when only this tensor has the coding. */
  readonly nats: number;
}

/** The budget is divided into so many parts; a tensor's bytes are rounded up to whole parts. */
const PARTS = 4_096;

/**
 * The codings with the smallest sum of divergences whose bytes fit, in the order of the tensors;
 * null where even the smallest ones do not fit. The sum treats the tensors as independent, which
 * they are not quite: the caller measures the result.
 */
export const chooseCodings = (
  options: readonly (readonly CodingOption[])[],
  budgetBytes: number,
): readonly CodingOption[] | null => {
  const part = budgetBytes / PARTS;
  const partsOf = ({ bytes }: CodingOption): number => Math.ceil(bytes / part);
  /** By the parts of the budget: the smallest sum so far. */
  let best = new Float64Array(PARTS + 1).fill(0);
  const choices: Int16Array[] = [];
  for (const ofTensor of options) {
    const next = new Float64Array(PARTS + 1).fill(Infinity);
    const chosen = new Int16Array(PARTS + 1).fill(-1);
    ofTensor.forEach((option, index) => {
      for (let parts = partsOf(option); parts <= PARTS; parts += 1) {
        const sum = (best[parts - partsOf(option)] ?? Infinity) + option.nats;
        if (sum >= (next[parts] ?? Infinity)) continue;
        next[parts] = sum;
        chosen[parts] = index;
      }
    });
    choices.push(chosen);
    best = next;
  }
  return traced(options, choices, partsOf);
};

/** Walks back from the whole budget. */
const traced = (
  options: readonly (readonly CodingOption[])[],
  choices: readonly Int16Array[],
  partsOf: (option: CodingOption) => number,
): readonly CodingOption[] | null => {
  const taken: CodingOption[] = [];
  let parts = PARTS;
  for (let tensor = options.length - 1; tensor >= 0; tensor -= 1) {
    const option = options[tensor]?.[choices[tensor]?.[parts] ?? -1];
    if (option === undefined) return null;
    taken.unshift(option);
    parts -= partsOf(option);
  }
  return taken;
};
