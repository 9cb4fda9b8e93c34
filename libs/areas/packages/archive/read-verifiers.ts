import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Verifiers } from './content.js';

/** The verifiers that ship with Quipu. */
export const readVerifiers = async (folder: string): Promise<Verifiers> => {
  const [module, script] = await Promise.all(
    ['verify.mjs', 'verify.sh'].map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  return { module: module ?? '', script: script ?? '' };
};
