import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from './required-program.js';

export interface GoProgram {
  readonly name: string;
  /** Relative to the working directory: the bench runs compiled files, without the sources. */
  readonly folder: string;
  /** Of the folder: a change of one of them makes another program. */
  readonly files: readonly string[];
  /** The package that is built, as Go names it. */
  readonly package: string;
  /** Of the build. */
  readonly tags?: readonly string[];
}

const HASH_LENGTH = 16;

/** For a hook that builds a large program. */
export const FIRST_BUILD_MS_MAX = 900_000;

/**
 * A program of Go, built once for each change of its sources. The first build downloads its modules
 * and takes a minute or two.
 * @returns its path
 * @throws Error with the output of Go
 */
export const goProgram = async ({
  name,
  folder,
  files,
  package: built,
  tags = [],
}: GoProgram): Promise<string> => {
  const cwd = path.resolve(folder);
  const cache =
    process.env['QUIPU_TEST_CACHE'] ?? path.join(homedir(), '.cache/quipu-test-servers');
  const hash = createHash('sha256').update(tags.join());
  for (const file of files) hash.update(await readFile(path.join(cwd, file)));
  const program = path.join(cache, `${name}-${hash.digest('hex').slice(0, HASH_LENGTH)}`);
  if (existsSync(program)) return program;
  await requireProgram('go');
  await mkdir(cache, { recursive: true });
  // The rename is atomic, so concurrent builds never leave a partial program.
  const fresh = `${program}.${process.pid}`;
  const options = ['-mod=readonly', '-trimpath', '-tags', tags.join(), '-ldflags', '-s -w'];
  const words = ['build', ...options, '-o', fresh, built];
  await promisify(execFile)('go', words, { cwd });
  await rename(fresh, program);
  return program;
};
