import { readFile } from 'node:fs/promises';
import { ImportElementsCommand } from '#areas/orbit/import-elements.handler.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { ORBIT_NEEDS } from './orbit.needs.js';

export interface ImportElementsOptions extends CommonOptions {
  readonly file: string;
  readonly source: string;
}

export const importElements = async (
  { file, source }: ImportElementsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure('file_unreadable', reason, EXIT.usage, { cause });
  });
  const needs = { ...ORBIT_NEEDS, projections: [] };
  const { format, satellites } = await withQuipu(invocation, needs, ({ commands, context }) =>
    commands.execute(new ImportElementsCommand(text, source, context())),
  );
  const imported = satellites.filter(({ isNew }) => isNew).length;
  const unchanged = satellites.length - imported;
  return {
    json: { format, imported, unchanged },
    text: `${imported} satellites have new elements; ${unchanged} are unchanged.`,
  };
};
