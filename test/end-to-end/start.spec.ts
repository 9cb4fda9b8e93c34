import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const SERVER = path.resolve(import.meta.dirname, '../../dist/apps/standalone/main.js');
const EXIT_BAD_SETTINGS = 2;

let home: string;
let child: ChildProcess | undefined;

const start = (settings: Readonly<Record<string, string>>): ChildProcess => {
  const env = { ...process.env, QUIPU_HOME: home, PORT: '0', ...settings };
  child = spawn(process.execPath, [SERVER], { env, stdio: 'pipe' });
  return child;
};

/** What a start that cannot succeed tells whoever made it. */
const refusal = async (settings: Readonly<Record<string, string>>) => {
  const failed = start(settings);
  let stderr = '';
  failed.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  await once(failed, 'close');
  return { exitCode: failed.exitCode, stderr };
};

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'quipu-start-'));
});

afterEach(async () => {
  if (child && child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
  await rm(home, { recursive: true });
});

describe('a start with a bad setting', () => {
  it.each([
    ['QUIPU_TRUST_PROXY', 'nginx'],
    ['QUIPU_HOME', SERVER],
    ['QUIPU_EVENT_STORE', 'sqlite:/nowhere/events.db'],
    ['QUIPU_CATALOG', '/nowhere/catalog.yaml'],
  ])('stops with a message that names it: %s=%s', async (name, value) => {
    const { exitCode, stderr } = await refusal({ [name]: value });
    expect(exitCode).toBe(EXIT_BAD_SETTINGS);
    expect(stderr).toContain(`bad settings\n  ${name}: `);
    expect(stderr).not.toContain('    at ');
  });

  it('says where a catalog is wrong', async () => {
    const file = path.join(home, 'catalog.yaml');
    await writeFile(file, 'rigs: []\nmodels: 5\n');
    expect((await refusal({ QUIPU_CATALOG: file })).stderr).toContain(`${file}:2:9: models `);
  });

  it('leaves the credentials to the start that succeeds', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { exitCode, stderr } = await refusal({ PORT: String(port) });
    holder.close();
    expect(exitCode).toBe(EXIT_BAD_SETTINGS);
    expect(stderr).toContain('bad settings\n  HOST, PORT: ');
    expect(await readdir(home)).not.toContain('bootstrap.json');
    let stdout = '';
    for await (const text of start({}).stdout ?? []) {
      stdout += String(text);
      if (stdout.includes('overview.php')) break;
    }
    expect(stdout).toMatch(/API key {3}sk-svc-/);
  });
});
