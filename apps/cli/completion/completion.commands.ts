import { type CommonOptions } from '../invocation.js';
import { command, type DeclareCommands } from '../declare-command.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  command(
    program,
    'completion <shell>',
    'Print the completion of bash, zsh or fish: source <(quipu completion bash)',
  ).action((shell: string, options: CommonOptions) =>
    invoke(options, async () => {
      const { printCompletion } = await import('./print-completion.js');
      return (common: CommonOptions) => printCompletion({ ...common, shell }, program);
    }),
  );
};
