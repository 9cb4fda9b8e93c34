import { type Command } from 'commander';
import { createProgram } from '#apps/cli/program.js';

/** The help of every command, as the command line prints it. */
export const commandPage = async (): Promise<string> => {
  const program = await createProgram(() => Promise.resolve());
  return `${sectionsOf(program, '').join('\n\n')}\n`;
};

const sectionsOf = (command: Command, parent: string): readonly string[] => {
  const name = parent === '' ? command.name() : `${parent} ${command.name()}`;
  const title = parent === '' ? '# Command line' : `## ${name}`;
  const help = command.helpInformation().trimEnd();
  return [
    `${title}\n\n\`\`\`text\n${help}\n\`\`\``,
    ...command.commands.flatMap((one) => sectionsOf(one, name)),
  ];
};
