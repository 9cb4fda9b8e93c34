import { readFile } from 'node:fs/promises';
import { CatalogError } from '#areas/catalog/catalog.error.js';
import { type CatalogFile } from '#areas/catalog/catalog-entry.js';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';
import { CommandFailure } from './command-failure.js';
import { EXIT } from './exit-code.js';

/** How a command reports a file that cannot be read, or is no catalog. */
export interface BadFile {
  readonly code: string;
  /** Before the message, such as an option and a colon. */
  readonly prefix?: string;
}

/** @throws CommandFailure */
export const catalogOfFile = async (
  file: string,
  { code, prefix = '' }: BadFile,
): Promise<{ readonly catalog: CatalogFile; readonly source: string }> => {
  try {
    const source = await readFile(file, 'utf8');
    return { catalog: parseCatalog(source, file), source };
  } catch (cause) {
    const isKnown = Error.isError(cause) && (cause instanceof CatalogError || 'code' in cause);
    if (!isKnown) throw cause;
    throw new CommandFailure(code, `${prefix}${cause.message}`, EXIT.usage, { cause });
  }
};
