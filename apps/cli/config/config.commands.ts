import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const config = commandGroup(program, 'config', 'Check and show the settings of an installation.');
  command(config, 'check', 'Check every setting of quipu.yaml and the environment.').action(
    (options: CommonOptions) =>
      invoke(options, async () => (await import('./show-settings.js')).checkSettings),
  );
  command(config, 'show', 'Show the settings that are set, each with its origin.').action(
    (options: CommonOptions) =>
      invoke(options, async () => (await import('./show-settings.js')).showSettings),
  );
};
