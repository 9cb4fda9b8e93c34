import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { positionOf } from '../options.js';
import { type RecomputeStatisticsOptions } from './recompute-statistics.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const stats = commandGroup(program, 'stats', 'Check the statistics of the platform.');
  command(
    stats,
    'recompute',
    'Fold the log from its first event, and compare with the figures that are served.',
  )
    .option('--at <position>', 'so many events of the log; default: all', positionOf)
    .option('--timespan <length>', 'one timespan, such as 30d; default: 1h, 24h, 7d, 30d and 365d')
    .action((options: RecomputeStatisticsOptions) =>
      invoke(options, async () => (await import('./recompute-statistics.js')).recomputeStatistics),
    );
};
