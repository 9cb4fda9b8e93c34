import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  downloadPackage,
  orderPackage,
  type PackageAnswer,
  packageCatalog,
} from '../end-to-end/packages.fixture.js';
import { runCommand } from '../end-to-end/command-line.fixture.js';
import { startWorld, type World } from '../end-to-end/quipu.harness.js';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const QUIPU = path.join(ROOT, 'bundle/apps/cli/main.js');
const PORT = 18_746;
/** As tar.ts says. */
const REBUILD =
  'LC_ALL=C tar --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner ' +
  '--mode=0644 -cf ../rebuilt.tar *';

/** By GNU tar, OpenSSL, and Linux without a network. */
describe('a package on another machine', () => {
  let folder: string;
  let file: string;
  let answer: PackageAnswer;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-package-host-'));
    file = path.join(folder, 'field-kit.tar');
    const environment = { QUIPU_AUDIT_CHECKPOINT_MS: '50' };
    const world: World = await startWorld([], { catalogOf: packageCatalog, environment });
    try {
      const credit = ['account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec'];
      await runCommand(world.environment, [...credit, '--json']);
      answer = (await orderPackage(world).expect(200)).body as PackageAnswer;
      const { body } = await downloadPackage(world, answer.package_uuid).expect(200);
      await writeFile(file, body as Buffer);
    } finally {
      await world.close();
    }
    await run('tar', ['-xf', file], { cwd: folder });
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('is rebuilt by GNU tar, byte for byte', async () => {
    for (const [archive, into] of [
      ['content.tar', 'content'],
      ['field-kit.tar', 'whole'],
    ] as const) {
      const script = `mkdir ${into} && tar -xf ${archive} -C ${into} && cd ${into} && ${REBUILD}`;
      await run('sh', ['-c', script], { cwd: folder });
      const rebuilt = await readFile(path.join(folder, 'rebuilt.tar'));
      expect(rebuilt.equals(await readFile(path.join(folder, archive)))).toBe(true);
    }
  });

  it('has a seal that OpenSSL verifies', async () => {
    const seal = Buffer.from(answer.ed25519_signature_seal, 'base64');
    expect(seal).toEqual(await readFile(path.join(folder, 'manifest.json.sig')));
    const verify = (manifest: string) => {
      const key = ['-pubin', '-inkey', 'seal.pub.pem', '-sigfile', 'manifest.json.sig'];
      return run('openssl', ['pkeyutl', '-verify', '-rawin', ...key, '-in', manifest], {
        cwd: folder,
      });
    };
    expect((await verify('manifest.json')).stdout).toContain('Verified Successfully');
    await expect(verify('roots.json')).rejects.toThrow();
  });

  it('has a script that verifies it, and names an altered file', async () => {
    await run('tar', ['-xf', 'content.tar', 'verify.sh'], { cwd: folder });
    const verify = (name: string) => run('sh', ['verify.sh', name], { cwd: folder });
    expect((await verify('field-kit.tar')).stdout).toContain('every file are verified');
    const bytes = await readFile(file);
    const at = bytes.indexOf('GGUF') + 1_000_000;
    bytes[at] = bytes.readUInt8(at) ^ 1;
    await writeFile(path.join(folder, 'changed.tar'), bytes);
    await expect(verify('changed.tar')).rejects.toMatchObject({
      stderr: 'NOT verified: altered in content.tar: model.gguf\n',
    });
  });

  /** In a network namespace of its own, which has a loopback interface that is down. */
  const isolated = (script: string) =>
    run('unshare', ['-rn', 'sh', '-c', script], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
    });

  it('is verified and answers where there is no network', async () => {
    const quipu = `${process.execPath} ${QUIPU} package`;
    const { stdout: verified } = await isolated(`${quipu} verify field-kit.tar --json`);
    expect(JSON.parse(verified)).toMatchObject({ archive_sha256: answer.checksum_sha256 });
    const prompt = `--prompt 'What is a hold?' --max-tokens 12`;
    const { stdout } = await isolated(`${quipu} run field-kit.tar ${prompt} --json`);
    expect((JSON.parse(stdout) as { text: string }).text).toMatch(/\w/);
  });

  it('is served where there is no network', async () => {
    const client = path.join(folder, 'client.mjs');
    await writeFile(client, CLIENT);
    const home = path.join(folder, 'serving');
    const script =
      `ip link set lo up && ${process.execPath} ${QUIPU} package run field-kit.tar ` +
      `--port ${PORT} --home ${home} & server=$!; ` +
      `${process.execPath} ${client} ${PORT} ${home}/home/bootstrap.json; kill -INT $server; wait`;
    const child = spawn('unshare', ['-rn', 'sh', '-c', script], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pieces] = await Promise.all([child.stdout.toArray(), once(child, 'exit')]);
    const line = String(Buffer.concat(pieces as Buffer[])).split('ANSWER ')[1] ?? '';
    expect(JSON.parse(line.split('\n')[0] ?? '')).toMatchObject({
      models: ['quipu/nano'],
      text: expect.stringMatching(/\w/),
    });
  });
});

/** Waits for the server of the package, and asks its model. */
const CLIENT = `
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
const [port, bootstrap] = process.argv.slice(2);
const ask = async (path, body) => {
  const { api_key } = JSON.parse(await readFile(bootstrap, 'utf8'));
  const response = await fetch('http://127.0.0.1:' + port + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: 'Bearer ' + api_key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
};
for (let attempt = 0; ; attempt += 1) {
  try {
    const { data } = await ask('/v1/models');
    const messages = [{ role: 'user', content: 'What is a hold?' }];
    const body = { model: data[0].id, messages, max_tokens: 12 };
    const { choices } = await ask('/v1/chat/completions', body);
    const models = data.map(({ id }) => id);
    console.log('ANSWER ' + JSON.stringify({ models, text: choices[0].message.content }));
    break;
  } catch (error) {
    if (attempt > 300) throw error;
    await sleep(200);
  }
}
`;
