import { GAS_LIMIT_DEFAULT, MEMORY_LIMIT_MB_DEFAULT } from '#areas/sandbox/limit-defaults.js';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { limitOf } from '../options.js';
import { type RunModuleOptions } from './run-module.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const sandbox = commandGroup(program, 'sandbox', 'Run WebAssembly modules.');
  command(sandbox, 'run', 'Run a module in this process, free of charge, and count its fuel.')
    .argument('<file>', 'a WebAssembly module')
    .argument('[args...]', 'arguments of the program, or the numbers that the entry point takes')
    .option('--entry <name>', 'the exported function to call', '_start')
    .option('--memory <mb>', 'the memory limit in MiB', limitOf, MEMORY_LIMIT_MB_DEFAULT)
    .option('--gas <fuel>', 'the fuel limit', limitOf, GAS_LIMIT_DEFAULT)
    .option('--stdin <text>', 'the standard input', '')
    .action((file: string, args: string[], options: Omit<RunModuleOptions, 'file' | 'args'>) =>
      invoke({ ...options, file, args }, async () => (await import('./run-module.js')).runModule),
    );
};
