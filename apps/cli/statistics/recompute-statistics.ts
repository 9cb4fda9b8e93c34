import {
  type FigureDifference,
  type Recomputation,
  RecomputeStatisticsQuery,
} from '#areas/statistics/recompute-statistics.handler.js';
import { statisticsProjections } from '#areas/statistics/statistics.projections.js';
import { AsOfError } from '#platform/runtime/history/as-of.js';
import { usage } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withProgress } from '../progress.js';
import { withQuipu } from '../quipu.context.js';

export interface RecomputeStatisticsOptions extends CommonOptions {
  readonly at?: bigint;
  readonly timespan?: string;
}

const TIMESPANS = ['1h', '24h', '7d', '30d', '365d'] as const;

export const recomputeStatistics = async (
  { at, timespan }: RecomputeStatisticsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['statistics'],
    installation: 'exists',
    projections: statisticsProjections,
  } as const;
  const timespans = timespan === undefined ? TIMESPANS : [timespan];
  const result = await withQuipu(invocation, needs, ({ queries }) =>
    withProgress(invocation, 'Recomputing the statistics', (onProgress) =>
      queries.execute(new RecomputeStatisticsQuery(at, timespans, onProgress)),
    ),
  ).catch((error: unknown) => {
    throw error instanceof AsOfError ? usage(`--at: ${error.message}`) : error;
  });
  const isEqual = result.differences.length === 0;
  return {
    json: { ...verdictOf(result), ...figuresOf(result) },
    text: textOf(result),
    exitCode: isEqual ? EXIT.done : EXIT.failed,
  };
};

const verdictOf = ({ differences }: Recomputation): Outcome['json'] =>
  differences.length === 0
    ? { equal: true }
    : {
        success: false,
        code: 'statistics_differ',
        message: `${differences.length} figures differ from the log`,
        equal: false,
      };

const figuresOf = ({ position, timespans, figures, differences }: Recomputation) => ({
  position: position.toString(),
  timespans,
  figures,
  differences,
});

const textOf = ({ position, figures, timespans, differences }: Recomputation): string => {
  const verdict =
    differences.length === 0
      ? 'The statistics agree with the log'
      : `${differences.length} statistics differ from the log`;
  return [
    `${verdict}: ${figures} figures of ${timespans.join(', ')} at position ${position}.`,
    ...differences.map(lineOf),
  ].join('\n');
};

const lineOf = ({ timespan, figure, served, recomputed }: FigureDifference): string => {
  const [is, shouldBe] = [served, recomputed].map((value) => JSON.stringify(value));
  return `  ${timespan} ${figure}: served ${is}, recomputed ${shouldBe}`;
};
