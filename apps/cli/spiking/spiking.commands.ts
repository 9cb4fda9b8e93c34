import { type Command } from 'commander';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { limitOf } from '../options.js';
import { type InferOptions } from './infer.js';
import { type RecomputeEnergyOptions } from './recompute-energy.js';
import { type SubmitBatchOptions } from './submit-batch.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const snn = commandGroup(program, 'snn', 'List and run spiking networks.');
  command(snn, 'models', 'Show the networks of this installation.').action(
    (options: CommonOptions) =>
      invoke(options, async () => (await import('./list-networks.js')).listNetworks),
  );
  withNetwork(command(snn, 'infer', 'Run a network once, in this process and free of charge.'))
    .requiredOption('--input <text|array>', 'a text, or numbers such as [0.1,0.2]')
    .option('--raster', 'draw the spikes of one layer')
    .action((options: InferOptions) =>
      invoke(options, async () => (await import('./infer.js')).infer),
    );
  withNetwork(command(snn, 'batch', 'Submit a batch of runs, which a running server works on.'))
    .argument('<file>', 'a text with one input for each line: JSON, a string or an array')
    .requiredOption('--user <username>', 'whose account pays')
    .action((file: string, options: Omit<SubmitBatchOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./submit-batch.js')).submitBatch),
    );
  const energy = commandGroup(program, 'energy', 'Modelled energy of spiking networks.');
  command(energy, 'recompute', 'Compute the energy of a run again, from its record in the log.')
    .option('--request <id>', 'the id of a request')
    .option('--job <id>', 'the id of a batch of runs')
    .action((options: RecomputeEnergyOptions) =>
      invoke(options, async () => (await import('./recompute-energy.js')).recomputeEnergy),
    );
};

const withNetwork = (one: Command): Command =>
  one
    .option('--model <slug>', 'the network')
    .option('--mode <routing_mode>', 'the network of a routing mode')
    .option('--timesteps <number>', 'at most 64; default 8', limitOf)
    .option('--neuron <model>', 'LIFNode, PLIFNode or ContinuousLIFNode');
