import { type Lag } from './catch-up.js';
import { type LaneName } from './lanes.js';
import { type LoadResult } from './load/load-run.js';
import { type Workload } from './load/workload.js';

/** One measurement of one lane in one round. */
export interface Sample extends Workload, LoadResult, Lag {
  readonly lane: LaneName;
  readonly round: number;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
};

export type Measure =
  | 'requestsPerSecond'
  | 'p50Ms'
  | 'p99Ms'
  | 'cpuMicrosPerRequest'
  | 'cpuMicrosPerRequestInAll'
  | 'rssBytes'
  | keyof Lag;

/** The samples of one workload; every figure and ratio stays within it. */
export class Samples {
  constructor(
    private readonly all: readonly Sample[],
    readonly workload: Workload,
  ) {}

  #of(lane: LaneName): readonly Sample[] {
    const { connections, streaming } = this.workload;
    return this.all.filter(
      (sample) =>
        sample.lane === lane &&
        sample.connections === connections &&
        sample.streaming === streaming,
    );
  }

  has(lane: LaneName): boolean {
    return this.#of(lane).length > 0;
  }

  median(lane: LaneName, measure: Measure): number {
    return median(this.#of(lane).map((sample) => sample[measure]));
  }

  failures(lane: LaneName): number {
    return this.#of(lane).reduce((sum, { failures }) => sum + failures, 0);
  }

  /** Width of the rounds around their median, 0.1 being 10 %. */
  spread(lane: LaneName, measure: Measure): number {
    const values = this.#of(lane).map((sample) => sample[measure]);
    return (Math.max(...values) - Math.min(...values)) / median(values);
  }

  /**
   * Median of the rounds' own ratios: within a round the two were measured seconds apart, so a
   * machine that slows down over the run slows both.
   */
  ratio(lane: LaneName, other: LaneName, measure: Measure): number {
    const others = new Map(this.#of(other).map((sample) => [sample.round, sample[measure]]));
    return median(
      this.#of(lane).map((sample) => sample[measure] / (others.get(sample.round) ?? Number.NaN)),
    );
  }
}
