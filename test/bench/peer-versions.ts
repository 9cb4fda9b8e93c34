import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type BenchOptions } from './bench-options.js';
import { type LaneName } from './lanes.js';

const run = promisify(execFile);

const packageVersion = async (folder: string): Promise<string> => {
  const file = await readFile(`${folder}/package.json`, 'utf8');
  return (JSON.parse(file) as { readonly version: string }).version;
};

/** The first version in the text that a program prints about itself; its path if there is none. */
const printedVersion = async (program: string, ...args: readonly string[]): Promise<string> => {
  try {
    const { stdout, stderr } = await run(program, args, { timeout: 60_000 });
    return /v?\d+\.\d+\.\d+\S*/.exec(stdout + stderr)?.[0] ?? program;
  } catch {
    return program;
  }
};

export const versionOf = (lane: LaneName, { programs }: BenchOptions): Promise<string> => {
  switch (lane) {
    case 'mock':
    case 'bare':
    case 'floor':
      return Promise.resolve(`Node ${process.versions.node}`);
    case 'portkey':
      return packageVersion('test/bench/portkey/node_modules/@portkey-ai/gateway');
    case 'litellm':
      return printedVersion(programs.litellm ?? 'litellm', '--version');
    case 'bifrost':
      return printedVersion(programs.bifrost ?? 'bifrost-http', '-version');
    case 'quipu':
    case 'quipu-hot':
    case 'quipu-fleet':
      return packageVersion('.');
  }
};
