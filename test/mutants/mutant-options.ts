import { parseArgs } from 'node:util';

/** Where money, state and durability are decided: what a run without a path covers. */
export const COVERED = [
  'libs/areas/billing',
  'libs/platform/runtime',
  'libs/platform/event-store/sqlite',
  'libs/platform/read-store/sqlite',
  'libs/platform/idempotency/sqlite',
] as const;

export interface MutantOptions {
  /** Files or folders. */
  readonly paths: readonly string[];
  /** How many mutants of each file are run; null for all. */
  readonly sample: number | null;
  readonly seed: number;
  /** Specs that are run for a file. */
  readonly specsMax: number;
  /** Only the mutants of `named.mutants.ts`. */
  readonly named: boolean;
  /** Whether the results are written to `results.json` and `results.md`. */
  readonly write: boolean;
  /** Only lists the mutants and the specs. */
  readonly list: boolean;
}

const numberOf = (name: string, text: string, min: number): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || value < min) {
    throw new Error(`--${name}: "${text}" is not a whole number from ${min}`);
  }
  return value;
};

/** @throws Error that names the option */
export const readOptions = (args: readonly string[]): MutantOptions => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      specs: { type: 'string', default: '12' },
      named: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  });
  if (values.named && positionals.length > 0) {
    throw new Error('--named: runs all named mutants, so it is given without a path');
  }
  return {
    paths: positionals.length > 0 ? positionals : COVERED,
    sample: values.sample === undefined ? null : numberOf('sample', values.sample, 1),
    seed: numberOf('seed', values.seed, 0),
    specsMax: numberOf('specs', values.specs, 1),
    named: values.named,
    write: values.write,
    list: values.list,
  };
};

/** Xorshift: the same sample for the same seed, on every machine. */
const randomOf = (seed: number): (() => number) => {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
};

/** So many of a list, in its order. */
export const sampleOf = <T>(all: readonly T[], size: number | null, seed: number): readonly T[] => {
  if (size === null || size >= all.length) return all;
  const random = randomOf(seed);
  const drawn = all.map((one, index) => ({ one, index, weight: random() }));
  const chosen = drawn.sort((a, b) => a.weight - b.weight).slice(0, size);
  return chosen.sort((a, b) => a.index - b.index).map(({ one }) => one);
};
