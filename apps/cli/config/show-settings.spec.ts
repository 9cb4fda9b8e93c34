import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommandLine } from '../command-line.js';

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quipu-config-'));
  file = path.join(folder, 'quipu.yaml');
});

afterAll(() => rm(folder, { recursive: true }));

const run = async (yaml: string, environment: NodeJS.ProcessEnv, ...words: string[]) => {
  await writeFile(file, yaml);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  const { signal } = new AbortController();
  const all = { QUIPU_CONFIG: file, ...environment };
  const exitCode = await runCommandLine([...words, '--json'], {
    environment: all,
    stdin,
    stdout,
    stderr,
    signal,
  });
  const printed = String((exitCode === 0 ? stdout : stderr).read());
  return { exitCode, printed: JSON.parse(printed) as Record<string, unknown> };
};

describe('the settings on the command line', () => {
  it('are shown with their origin, without secrets', async () => {
    const yaml = 'region: eu-1\nport: 9090\nread_store: mongodb://quipu:hidden@db/quipu';
    const environment = { PORT: '1', QUIPU_OPERATIONS_TOKEN: 'hidden-hidden-hidden' };
    const { printed } = await run(yaml, environment, 'config', 'show');
    expect(printed).toMatchObject({
      file,
      settings: [
        { name: 'PORT', value: '1', origin: 'environment' },
        { name: 'QUIPU_OPERATIONS_TOKEN', value: '***', origin: 'environment' },
        { name: 'QUIPU_CONFIG', value: file, origin: 'environment' },
        { name: 'QUIPU_REGION', value: 'eu-1', origin: 'file' },
        { name: 'QUIPU_READ_STORE', value: 'mongodb://***@db/quipu', origin: 'file' },
      ],
    });
  });

  it('are checked', async () => {
    expect(await run('port: 9090', {}, 'config', 'check')).toEqual({
      exitCode: 0,
      printed: { success: true, file, settings: 2 },
    });
  });

  it.each([
    ['a wrong value', 'port: ninety', 'PORT: expected a whole number'],
    ['an unknown name', 'prot: 9090', 'QUIPU_PROT: no setting has this name; the nearest is'],
  ])('are refused for %s', async (_name, yaml, message) => {
    expect(await run(yaml, {}, 'config', 'check')).toEqual({
      exitCode: 2,
      printed: {
        success: false,
        code: 'bad_settings',
        message: expect.stringContaining(message),
      },
    });
  });
});
