import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command, type OutputConfiguration } from 'commander';
import { type DeclareCommands, EXIT_CODES, type Invoke } from './declare-command.js';

/** `.ts` in the sources, `.js` in the build. */
const EXTENSION = path.extname(import.meta.filename);

export interface ProgramOptions {
  readonly output?: OutputConfiguration;
  /** The folders that contain `<name>/<name>.commands`; default: `apps/cli`. */
  readonly folders?: readonly string[];
}

/** Declares all commands. Parsing rejects malformed options before it opens any store. */
export const createProgram = async (
  invoke: Invoke,
  { output = {}, folders = [import.meta.dirname] }: ProgramOptions = {},
): Promise<Command> => {
  const program = new Command('quipu')
    .description('Operates an installation of Quipu: users, keys, credit, events, read models.')
    .version(versionOf(import.meta.dirname), '-V, --version')
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(use --help for the commands and options)')
    .configureOutput(output)
    .exitOverride();
  for (const declareCommands of await declarationsIn(folders)) declareCommands(program, invoke);
  return program;
};

/** In the order of their names. */
const declarationsIn = async (folders: readonly string[]): Promise<readonly DeclareCommands[]> => {
  const files: string[] = [];
  for (const folder of folders) {
    const names = (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    files.push(...names.sort().map((name) => path.join(folder, name, `${name}.commands`)));
  }
  const declared = files.map((file) => `${file}${EXTENSION}`).filter((file) => existsSync(file));
  return Promise.all(declared.map(declarationIn));
};

const declarationIn = async (file: string): Promise<DeclareCommands> => {
  const { declareCommands } = (await import(pathToFileURL(file).href)) as {
    readonly declareCommands?: DeclareCommands;
  };
  if (!declareCommands) throw new Error(`${file} exports no declareCommands`);
  return declareCommands;
};

/** The sources and the compiled files lie at different depths. */
const versionOf = (folder: string): string => {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return versionOf(path.dirname(folder));
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
};
