import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { limitOf } from '../options.js';
import { type CertifyRigOptions } from './certify-rig.js';
import { type DrainRigOptions } from './drain-rig.js';

const WAIT_SECONDS = 900;

export const declareCommands: DeclareCommands = (program, invoke) => {
  const rigs = commandGroup(program, 'rigs', 'List, certify and drain rigs.');
  command(rigs, 'list', 'Show each rig, its state and its last certification.').action(
    (options: CommonOptions) =>
      invoke(options, async () => (await import('./list-rigs.js')).listRigs),
  );
  command(rigs, 'certify', 'Have a running server measure a rig, and wait for the badge.')
    .argument('<name>', 'the name of the rig, as list shows it')
    .option('--wait <seconds>', 'how long to wait for the result', limitOf, WAIT_SECONDS)
    .action((name: string, options: Omit<CertifyRigOptions, 'name'>) =>
      invoke({ ...options, name }, async () => (await import('./certify-rig.js')).certifyRig),
    );
  command(rigs, 'drain', 'Have the rig of a worker finish what runs and take no more tasks.')
    .argument('<name>', 'the name of the rig, as list shows it')
    .action((name: string, options: Omit<DrainRigOptions, 'name'>) =>
      invoke({ ...options, name }, async () => (await import('./drain-rig.js')).drainRig),
    );
};
