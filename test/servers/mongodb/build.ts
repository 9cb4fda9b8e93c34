import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** By the working directory: the bench runs compiled files, without the sources beside them. */
const SOURCE = path.resolve('test/servers/mongodb/ferretdb');
const HASH_LENGTH = 16;

/**
 * The program of the server, built once for each change of its sources. The first build downloads
 * its modules and takes a minute or two.
 * @throws Error with the output of Go
 */
export const ferretDbProgram = async (): Promise<string> => {
  const cache =
    process.env['QUIPU_TEST_CACHE'] ?? path.join(homedir(), '.cache/quipu-test-servers');
  const hash = createHash('sha256');
  for (const file of ['main.go', 'go.mod', 'go.sum']) {
    hash.update(await readFile(path.join(SOURCE, file)));
  }
  const program = path.join(cache, `ferretdb-${hash.digest('hex').slice(0, HASH_LENGTH)}`);
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  // The rename is atomic, so concurrent builds never leave a partial program.
  const fresh = `${program}.${process.pid}`;
  const words = ['build', '-mod=readonly', '-trimpath', '-ldflags', '-s -w', '-o', fresh, '.'];
  await promisify(execFile)('go', words, { cwd: SOURCE });
  await rename(fresh, program);
  return program;
};
