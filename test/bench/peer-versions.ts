import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type BenchOptions } from './bench-options.js';
import { type LaneName } from './lanes.js';

const run = promisify(execFile);

/** LiteLLM loads everything before it says its version. */
const VERSION_MS_MAX = 180_000;
const UNKNOWN = 'unknown';

const packageVersion = async (folder: string): Promise<string> => {
  const file = await readFile(`${folder}/package.json`, 'utf8');
  return (JSON.parse(file) as { readonly version: string }).version;
};

/** The first version in the text that a program prints about itself. */
const printedVersion = async (program: string, ...args: readonly string[]): Promise<string> => {
  try {
    const { stdout, stderr } = await run(program, args, { timeout: VERSION_MS_MAX });
    return /v?\d+\.\d+\.\d+\S*/.exec(stdout + stderr)?.[0] ?? UNKNOWN;
  } catch {
    return UNKNOWN;
  }
};

export const versionOf = (lane: LaneName, { litellm }: BenchOptions): Promise<string> => {
  switch (lane) {
    case 'mock':
    case 'bare':
    case 'floor':
      return Promise.resolve(`Node ${process.versions.node}`);
    case 'portkey':
      return packageVersion('test/bench/portkey/node_modules/@portkey-ai/gateway');
    case 'litellm':
      return printedVersion(litellm ?? 'litellm', '--version');
    case 'quipu':
    case 'quipu-hot':
    case 'quipu-fleet':
      return packageVersion('.');
  }
};
