import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { json, startUpstream } from '#areas/inference/rigs/upstream.fake.js';

const SERVER = path.resolve(import.meta.dirname, '../../bundle/apps/processes/standalone.main.js');
const EXIT_BAD_SETTINGS = 2;

let home: string;
let child: ChildProcess | undefined;

const start = (settings: Readonly<Record<string, string>>): ChildProcess => {
  const env = { ...process.env, QUIPU_HOME: home, PORT: '0', ...settings };
  child = spawn(process.execPath, [SERVER], { env, stdio: 'pipe' });
  return child;
};

/** The output of a start that fails. */
const failedStart = async (settings: Readonly<Record<string, string>>) => {
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
    ['QUIPU_HOME', '/proc'],
    ['QUIPU_EVENT_STORE', 'sqlite:/nowhere/events.db'],
    ['QUIPU_CATALOG', '/nowhere/catalog.yaml'],
  ])('stops with a message that names it: %s=%s', async (name, value) => {
    const { exitCode, stderr } = await failedStart({ [name]: value });
    expect(exitCode).toBe(EXIT_BAD_SETTINGS);
    expect(stderr).toContain(`bad settings\n  ${name}: `);
    expect(stderr).not.toContain('    at ');
  });

  it('names the operations port when it is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { exitCode, stderr } = await failedStart({ QUIPU_OPERATIONS_PORT: String(port) });
    holder.close();
    expect(exitCode).toBe(EXIT_BAD_SETTINGS);
    expect(stderr).toContain('QUIPU_OPERATIONS_PORT: listen EADDRINUSE');
  });

  it('names the error in a catalog', async () => {
    const file = path.join(home, 'catalog.yaml');
    await writeFile(file, 'rigs: []\nmodels: 5\n');
    expect((await failedStart({ QUIPU_CATALOG: file })).stderr).toContain(`${file}:2:9: models `);
  });

  it('creates the credentials in the first successful start', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { exitCode, stderr } = await failedStart({ PORT: String(port) });
    holder.close();
    expect(exitCode).toBe(EXIT_BAD_SETTINGS);
    expect(stderr).toContain('bad settings\n  HOST, PORT: ');
    expect(await readdir(home)).not.toContain('bootstrap.json');
    let stdout = '';
    for await (const text of start({}).stdout ?? []) {
      stdout += String(text);
      if (stdout.includes('overview.php')) break;
    }
    expect(stdout).not.toContain('sk-svc-');
    const readKey = stdout.split('\n').find((line) => line.startsWith('  KEY=')) ?? '';
    const shell = spawn('sh', ['-c', `${readKey}; echo "$KEY"`]);
    const [key = ''] = await Array.fromAsync(shell.stdout, String);
    expect(key.trim()).toMatch(/^sk-svc-.+$/);
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ api_key: key.trim() });
  });
});

describe('the log of a server', () => {
  it('stops without delay when its output is closed', async () => {
    const server = start({});
    for await (const text of server.stdout ?? []) if (String(text).includes('see it')) break;
    server.kill('SIGTERM');
    await once(server, 'close');
    expect(server.exitCode).toBe(0);
  });

  it('holds no secret, and no prompt that an upstream repeats', async () => {
    const upstream = await startUpstream(json(401, { error: { message: 'no sk-up to PROMPT' } }));
    const file = path.join(home, 'catalog.yaml');
    await writeFile(
      file,
      `rigs: [{ name: up, kind: openai, base_url: '${upstream.baseUrl}', api_key_env: UP_KEY }]
models: [{ id: m, owned_by: o, rigs: [up], context: 99, max_output: 9,
  price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }]
`,
    );
    const server = start({ QUIPU_CATALOG: file, QUIPU_LOG_LEVEL: 'debug', UP_KEY: 'sk-up' });
    let log = '';
    server.stdout?.on('data', (text: Buffer) => (log += text.toString()));
    while (!log.includes('see it metered')) await once(server.stdout ?? server, 'data');
    const [, url = ''] = /ready at (\S+)/.exec(log) ?? [];
    log = '';
    const written = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    const { api_key: key, password } = JSON.parse(written) as Record<string, string>;
    const response = await fetch(`${url}/v1/chat/completions?key=${key}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'PROMPT' }] }),
    });
    expect(response.status).toBe(502);
    expect((await fetch(`${url}/v1/models/${key}`)).status).toBe(401);
    server.kill('SIGTERM');
    await once(server, 'close');
    await upstream.close();
    expect(log).toContain('request failed');
    expect(log).toContain('rig up answered with status 401');
    expect(log).toContain('"path":"/v1/models/sk-svc-***"');
    for (const secret of ['PROMPT', 'sk-up', key, password]) expect(log).not.toContain(secret);
  });
});
