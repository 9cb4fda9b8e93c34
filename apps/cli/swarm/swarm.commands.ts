import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type ExplainSwarmOptions } from './explain-swarm.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const swarm = commandGroup(program, 'swarm', 'Answers of language models that work together.');
  command(swarm, 'explain', 'Compute the figures of an answer again, from its record in the log.')
    .requiredOption('--request <id>', 'the id of a request')
    .action((options: ExplainSwarmOptions) =>
      invoke(options, async () => (await import('./explain-swarm.js')).explainSwarm),
    );
};
