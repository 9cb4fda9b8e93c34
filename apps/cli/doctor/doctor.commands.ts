import { command, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  command(
    program,
    'doctor',
    'Examine settings, disk, log, clock, secrets, read models, bus and rigs; changes nothing.',
  ).action((options: CommonOptions) =>
    invoke(options, async () => (await import('./doctor.js')).examineInstallation),
  );
};
