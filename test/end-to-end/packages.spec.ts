import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { CONTENT, PACKAGE_MEMBERS } from '#areas/packages/archive/package-members.js';
import { membersIn } from '#areas/packages/verification/tar-reader.js';
import { verifyPackage } from '#areas/packages/verification/verify-package.js';
import { CommandLine } from './command-line.fixture.js';
import {
  DOWNLOAD,
  downloadPackage,
  MODELS,
  orderPackage,
  type PackageAnswer,
  packageCatalog,
} from './packages.fixture.js';
import { startWorld, type World } from './quipu.harness.js';

const PACKAGES = '/api/v1/scif/packages';

interface Charge {
  readonly purpose: string;
  readonly lines: readonly object[];
  readonly evidence: object;
}

/** Where the message names the file that does not fit, instead of the changed one. */
const NAMED = new Map<string, RegExp>([
  ['roots.json', /root/],
  ['minisign.pub', /minisign/],
]);

const DOWNLOAD_MS = 7 * 86_400_000;

const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

describe('packages', () => {
  let world: World;
  let folder: string;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    const environment = { QUIPU_AUDIT_CHECKPOINT_MS: '50', QUIPU_PACKAGES_MAX: '5' };
    world = await startWorld([], { catalogOf: packageCatalog, environment });
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-packages-'));
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec');
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const as = <Test extends request.Test>(test: Test, key = world.credentials.api_key): Test =>
    test.set('authorization', `Bearer ${key}`);
  const order = (body: object) => orderPackage(world, body);
  const download = (uuid: string, query: object = {}) => downloadPackage(world, uuid, query);
  const ordered = async (body: object = {}): Promise<PackageAnswer> =>
    (await order(body).expect(200)).body as PackageAnswer;
  const chargesOf = async (purpose: string): Promise<readonly Charge[]> =>
    (await world.events())
      .filter(({ type }) => type === 'HoldCaptured')
      .map(({ data }) => data as Charge)
      .filter((charge) => charge.purpose === purpose);

  let first: PackageAnswer;
  let file: string;

  it('answers with the fields of the interface, and one archive for one model', async () => {
    first = await ordered({ target_hardware_architecture: 'acme_hopper' });
    const again = await ordered({
      package_name: 'other-kit',
      target_hardware_architecture: 'acme_hopper',
    });
    expect(Object.keys(first).sort()).toEqual([
      'checksum_sha256',
      'ed25519_signature_seal',
      'export_tar_url',
      'license_token',
      'package_name',
      'package_uuid',
      'success',
    ]);
    expect(first).toMatchObject({
      success: true,
      package_name: 'field-kit',
      export_tar_url: `${DOWNLOAD}?package_uuid=${first.package_uuid}`,
    });
    expect(Buffer.from(first.ed25519_signature_seal, 'base64')).toHaveLength(64);
    expect(again.checksum_sha256).toBe(first.checksum_sha256);
    expect(again.package_uuid).not.toBe(first.package_uuid);
    expect((await ordered()).checksum_sha256).not.toBe(first.checksum_sha256);
  });

  it('hands out a package that is verified without the gateway', async () => {
    const { body, headers } = await download(first.package_uuid).expect(200);
    const content = body as Buffer;
    const digest = Buffer.from(sha256Of(content), 'hex').toString('base64');
    expect(headers).toMatchObject({
      'content-type': 'application/x-tar',
      'content-length': String(content.length),
      'accept-ranges': 'bytes',
      'repr-digest': `sha-256=:${digest}:`,
      'content-disposition': 'attachment; filename="field-kit.tar"',
    });
    file = path.join(folder, 'field-kit.tar');
    await writeFile(file, content);
    const report = await verifyPackage(file, { root: null, nowMs: Date.now() });
    expect(report.manifest).toMatchObject({
      package_uuid: first.package_uuid,
      hardware_architecture: 'acme_hopper',
      archive: { sha256: first.checksum_sha256 },
    });
    expect(report.content.map(({ name }) => name)).toEqual([
      'LICENCE.txt',
      'MODEL_CARD.md',
      'model.gguf',
      'runtime.json',
      'sbom.cdx.json',
      'verify.mjs',
      'verify.sh',
    ]);
    const archive = await download(first.package_uuid, { part: 'archive' }).expect(200);
    expect(sha256Of(archive.body as Buffer)).toBe(first.checksum_sha256);
  });

  it('resumes a download, and hands out a range of the same version alone', async () => {
    const { body, headers } = await download(first.package_uuid).expect(200);
    const whole = body as Buffer;
    const from = (range: string, condition?: string) => {
      const test = download(first.package_uuid).set('range', range);
      return condition === undefined ? test : test.set('if-range', condition);
    };
    const rest = await from('bytes=1000000-', headers['etag']).expect(206);
    expect(rest.headers['content-range']).toBe(`bytes 1000000-${whole.length - 1}/${whole.length}`);
    expect(rest.headers['repr-digest']).toBe(headers['repr-digest']);
    expect(whole.subarray(1_000_000).equals(rest.body as Buffer)).toBe(true);
    const middle = await from('bytes=500-1500').expect(206);
    expect(whole.subarray(500, 1_501).equals(middle.body as Buffer)).toBe(true);
    const last = await from('bytes=-700').expect(206);
    expect(whole.subarray(-700).equals(last.body as Buffer)).toBe(true);
    const other = await from('bytes=10-20', '"another"').expect(200);
    expect(other.headers['content-length']).toBe(String(whole.length));
    await from('bytes=0-1,5-6').expect(200);
    const beyond = await from(`bytes=${whole.length}-`).expect(416);
    expect(beyond.headers['content-range']).toBe(`bytes */${whole.length}`);
  });

  it('charges the bytes of the archive, and the bytes that were sent', async () => {
    const shown = await as(request(world.quipu.url).get(`${PACKAGES}/${first.package_uuid}`));
    const { bytes } = shown.body as { readonly bytes: number };
    const archive = await as(request(world.quipu.url).head(DOWNLOAD)).query({
      package_uuid: first.package_uuid,
      part: 'archive',
    });
    const archiveBytes = Number(archive.headers['content-length']);
    expect(shown.body).toMatchObject({ estimated_bytes: archiveBytes, estimate_error_pct: 0 });
    const [packaging] = await chargesOf('scif_package');
    expect(packaging).toMatchObject({
      lines: [{ meter: 'package_bytes', quantity: archiveBytes, unitPriceMicroUsd: '2000000' }],
      evidence: {
        packageUuid: first.package_uuid,
        outcome: 'completed',
        model: 'quipu/nano',
        estimatedBytes: archiveBytes,
      },
    });
    await download(first.package_uuid).expect(200);
    const downloads = await chargesOf('scif_download');
    expect(downloads.at(-1)).toMatchObject({
      lines: [{ meter: 'package_download_bytes', quantity: bytes }],
    });
    const { headers } = await as(request(world.quipu.url).head(DOWNLOAD))
      .query({ package_uuid: first.package_uuid })
      .expect(200);
    expect(headers['content-length']).toBe(String(bytes));
    expect(await chargesOf('scif_download')).toHaveLength(downloads.length);
  });

  it('lists the packages of the account, the newest first', async () => {
    const { body } = await as(request(world.quipu.url).get(PACKAGES)).query({ limit: 2 });
    expect(body).toMatchObject({ success: true, total_records: 3, total_pages: 2 });
    const { packages } = body as { readonly packages: readonly { readonly status: string }[] };
    expect(packages.map(({ status }) => status)).toEqual(['ready', 'ready']);
  });

  it.each([
    [{ model_source: 'acme/absent' }, 404, 'package_model_unknown'],
    [{ model_source: '/etc/passwd' }, 404, 'package_model_unknown'],
    [{ model_source: `${MODELS}/mini.gguf` }, 404, 'package_model_unknown'],
    [{ model_source: 'acme/scripted' }, 422, 'package_model_unsuitable'],
    [{ target_hardware_architecture: 'acme_volta' }, 400, 'invalid_request'],
    [{ target_hardware_architecture: 'Acme_hopper' }, 400, 'invalid_request'],
    [{ package_name: '../kit' }, 400, 'invalid_request'],
    [{ package_name: undefined }, 400, 'invalid_request'],
    [{ offline_license_duration_days: 0 }, 400, 'invalid_request'],
  ])('rejects %j with %i', async (body, status, code) => {
    expect((await order(body).expect(status)).body).toMatchObject({ success: false, code });
  });

  it.each(['nano.gguf', `${MODELS}/nano.gguf`])('takes the file of a model: %s', async (source) => {
    const inCatalog = path.relative(world.home, path.join(MODELS, 'nano.gguf'));
    const model = source === 'nano.gguf' ? inCatalog : source;
    const { checksum_sha256: sum } = await ordered({
      model_source: model,
      target_hardware_architecture: 'acme_hopper',
    });
    expect(sum).toBe(first.checksum_sha256);
  });

  it('limits the packages of an account', async () => {
    expect((await order({}).expect(409)).body).toMatchObject({ code: 'package_limit_reached' });
  });

  it('shows a package to its account alone', async () => {
    const ada = ['--username', 'ada', '--email', 'ada@quipu.test', '--role', 'renter'];
    const { api_key: key } = (await quipu.result('user', 'create', ...ada)) as { api_key: string };
    const foreign = (url: string) => as(request(world.quipu.url).get(url), key);
    await foreign(`${PACKAGES}/${first.package_uuid}`).expect(404);
    const { body } = await foreign(first.export_tar_url).expect(404);
    expect(body).toMatchObject({ code: 'package_not_found' });
  });

  it('is verified on the command line, against a known root', async () => {
    const { root_sha256: root, ...verified } = (await quipu.result('package', 'verify', file)) as {
      readonly root_sha256: string;
    };
    expect(verified).toMatchObject({ package_uuid: first.package_uuid, files: 7 });
    await quipu.result('package', 'verify', file, '--root', root);
    const foreign = await quipu.run('package', 'verify', file, '--root', 'a'.repeat(64));
    expect([foreign.exitCode, JSON.parse(foreign.stderr)]).toMatchObject([
      1,
      { code: 'package_not_verified', message: expect.stringContaining('known fingerprint') },
    ]);
  });

  it('is not verified with one changed byte, and the file is named', async () => {
    const whole = await readFile(file);
    const changed = path.join(folder, 'changed.tar');
    const handle = await open(file);
    const outer = await membersIn(handle, { name: 'package', at: 0, bytes: whole.length });
    const content = outer.find(({ name }) => name === CONTENT) ?? { name: '', at: 0, bytes: 0 };
    const inner = await membersIn(handle, content);
    await handle.close();
    expect(outer.map(({ name }) => name)).toEqual(PACKAGE_MEMBERS);
    for (const { name, at, bytes } of [...outer.filter((one) => one !== content), ...inner]) {
      const copy = Buffer.from(whole);
      const middle = at + Math.floor(bytes / 2);
      copy[middle] = copy.readUInt8(middle) ^ 1;
      await writeFile(changed, copy);
      const verifying = verifyPackage(changed, { root: null, nowMs: Date.now() });
      await expect(verifying).rejects.toThrow(NAMED.get(name) ?? name);
    }
    for (const at of [content.at - 512, content.at + 300, content.at + content.bytes - 1]) {
      const copy = Buffer.from(whole);
      copy[at] = copy.readUInt8(at) ^ 1;
      await writeFile(changed, copy);
      const verifying = verifyPackage(changed, { root: null, nowMs: Date.now() });
      await expect(verifying).rejects.toThrow(/altered/);
    }
    const afterwards = Date.now() + 366 * 86_400_000;
    const late = verifyPackage(file, { root: null, nowMs: afterwards });
    await expect(late).rejects.toThrow(/the licence ended/);
  });

  it('has a verifier of its own, which needs Node alone', async () => {
    const whole = await readFile(file);
    const { content } = await verifyPackage(file, { root: null, nowMs: Date.now() });
    const place = content.find(({ name }) => name === 'verify.mjs') ?? { at: 0, bytes: 0 };
    const verifier = path.join(folder, 'verify.mjs');
    await writeFile(verifier, whole.subarray(place.at, place.at + place.bytes));
    const words = [verifier, file, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      archive_sha256: first.checksum_sha256,
    });
  });

  it('answers from the package alone', async () => {
    const words = ['--prompt', 'What is a hold?', '--max-tokens', '12'];
    const { text } = (await quipu.result('package', 'run', file, ...words)) as { text: string };
    const { choices } = await world.openai.chat.completions.create({
      model: 'quipu/nano',
      messages: [{ role: 'user', content: 'What is a hold?' }],
      max_completion_tokens: 12,
      temperature: 0,
    });
    expect(text).not.toBe('');
    expect(text).toBe(choices[0]?.message.content);
  });

  it('can be downloaded for seven days, and is gone then', async () => {
    const { now } = Date;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + DOWNLOAD_MS);
    const { body } = await download(first.package_uuid).expect(410);
    clock.mockRestore();
    const error = JSON.parse((body as Buffer).toString()) as object;
    expect(error).toMatchObject({ success: false, code: 'package_expired' });
  });
});
