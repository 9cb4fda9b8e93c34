import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { positionOf } from '../options.js';
import { type ReplayTracesOptions } from './replay-traces.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const traces = commandGroup(program, 'traces', 'Export the spans of requests.');
  command(traces, 'replay', 'Send the spans of a part of the log to the collector again.')
    .requiredOption('--from <position>', 'the number of the first event, from 1', positionOf)
    .option('--to <position>', 'the number of the last event; default: of the log', positionOf)
    .action((options: ReplayTracesOptions) =>
      invoke(options, async () => (await import('./replay-traces.js')).replayTraces),
    );
};
