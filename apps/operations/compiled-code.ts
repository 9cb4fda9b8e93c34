import { enableCompileCache } from 'node:module';
import path from 'node:path';

/** Beside the packages, so that a new installation starts with none. */
const FOLDER = path.resolve(import.meta.dirname, '../../../node_modules/.cache/compiled');

/**
 * Keeps compiled code on disk: a later start compiles nothing, which is about a fifth of its time.
 * Code that was imported before this call is not kept, so a process calls it first and imports the
 * rest afterwards. Where the folder cannot be written, a start takes longer and nothing else.
 */
export const keepCompiledCode = (): void => {
  enableCompileCache(FOLDER);
};
