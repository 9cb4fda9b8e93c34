import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from '../required-program.js';

/** By the working directory: the bench runs compiled files, without the pom beside them. */
const POM = path.resolve('test/servers/kafka/pom.xml');
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.7.1:copy-dependencies';
const HASH_LENGTH = 16;

/**
 * The folder with the jars of the pom, downloaded once for each pom.
 * @throws Error with the output of Maven
 */
export const kafkaJars = async (): Promise<string> => {
  const cache =
    process.env['QUIPU_TEST_CACHE'] ?? path.join(homedir(), '.cache/quipu-test-servers');
  const pom = await readFile(POM);
  const hash = createHash('sha256').update(pom).digest('hex').slice(0, HASH_LENGTH);
  const folder = path.join(cache, `kafka-${hash}`);
  if (existsSync(folder)) return folder;
  await requireProgram('mvn');
  // The rename is atomic. The second of two concurrent downloads discards its copy.
  const fresh = `${folder}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  const words = [
    '-q',
    '-B',
    '-f',
    POM,
    COPY,
    `-DoutputDirectory=${fresh}`,
    '-DincludeScope=runtime',
  ];
  await promisify(execFile)('mvn', words);
  await rename(fresh, folder).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
};
