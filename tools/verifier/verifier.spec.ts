import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rangeOf } from '#areas/audit/archive/log-archive.fixture.js';
import {
  billOf,
  HISTORY,
  logKey,
  STATEMENT,
  witnessKey,
  zipped,
} from '#areas/audit/bill/bill.fixture.js';

/** Removes the globals of the language that Node 20 does not have. */
const NODE_20 = `
delete Map.groupBy;
delete Object.groupBy;
delete Promise.withResolvers;
delete Promise.try;
delete Array.fromAsync;
delete RegExp.escape;
delete ArrayBuffer.prototype.transfer;
for (const name of ['union', 'intersection', 'difference']) delete Set.prototype[name];
const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
for (const name of ['map', 'filter', 'take', 'drop', 'toArray', 'reduce', 'some', 'every']) {
  delete iterator[name];
}
`;

const BUILD = path.resolve(import.meta.dirname, 'build.mjs');

describe('the verifier as one file', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-verifier-'));
    const file = path.join(folder, 'verify-bill.mjs');
    await promisify(execFile)(process.execPath, [BUILD, file]);
    await writeFile(path.join(folder, 'good.zip'), await zipped(billOf(HISTORY)));
    await writeFile(path.join(folder, 'good.log'), await rangeOf(3, 9));
    const wrong = billOf(HISTORY, { ...STATEMENT, closingMicroUsd: '981' });
    await writeFile(path.join(folder, 'bad.zip'), await zipped(wrong));
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** In a folder of its own, without a module of this repository. */
  const run = (...words: readonly string[]) => runOn([], ...words);

  const runOn = async (node: readonly string[], ...words: readonly string[]) => {
    const command = [...node, 'verify-bill.mjs', ...words];
    try {
      const options = { cwd: folder };
      const { stdout } = await promisify(execFile)(process.execPath, command, options);
      return { exitCode: 0, text: stdout };
    } catch (error) {
      const { code, stderr } = error as { readonly code: number; readonly stderr: string };
      return { exitCode: code, text: stderr };
    }
  };

  it('is one file', async () => {
    const files = ['bad.zip', 'good.log', 'good.zip', 'verify-bill.mjs'];
    expect((await readdir(folder)).sort()).toEqual(files);
  });

  it('proves a bill, for people and for scripts', async () => {
    const { exitCode, text } = await run('good.zip', '--key', logKey, '--witness', witnessKey);
    expect(exitCode).toBe(0);
    expect(text).toContain('The statement 2026-02 of account 7 (closed) is proved.');
    const json = await run('good.zip', '--json');
    expect(JSON.parse(json.text)).toMatchObject({ success: true, chargedMicroUsd: '33' });
  });

  it('proves an archive of the log', async () => {
    const { exitCode, text } = await run('good.log', '--key', logKey);
    expect(exitCode).toBe(0);
    expect(text).toContain('The archive of 6 events of quipu.test/log is proved.');
  });

  it('exits with 1 and the reason for a bill that is not proved', async () => {
    const message = 'closingMicroUsd is stated as 981, and the events come to 980';
    expect(await run('bad.zip')).toEqual({ exitCode: 1, text: `NOT proved: ${message}\n` });
    const { exitCode, text } = await run('bad.zip', '--json');
    expect({ exitCode, ...JSON.parse(text) }).toEqual({
      exitCode: 1,
      success: false,
      code: 'not_proved',
      message,
    });
    const { exitCode: code, text: reason } = await run('absent.zip');
    expect(code).toBe(1);
    expect(reason).toMatch(/^cannot verify: ENOENT/);
  });

  it('needs nothing that came after Node 20.15', async () => {
    const preload = path.join(folder, 'node20.cjs');
    await writeFile(preload, NODE_20);
    const { exitCode, text } = await runOn(['--require', preload], 'good.zip', '--key', logKey);
    const archive = await runOn(['--require', preload], 'good.log', '--key', logKey);
    await rm(preload);
    expect(text).toContain('is proved.');
    expect([exitCode, archive.exitCode]).toEqual([0, 0]);
  });

  it.each(["require('node:zlib').crc32", "require('node:crypto').hash"])(
    'names the Node that it needs on one without %s',
    async (missing) => {
      const preload = path.join(folder, 'older.cjs');
      await writeFile(preload, `delete ${missing};`);
      const ended = await runOn(['--require', preload], 'bad.zip');
      await rm(preload);
      expect(ended).toEqual({
        exitCode: 2,
        text:
          `verify-bill needs Node 20.15, 22.2 or later; this is ${process.version}. ` +
          'Nothing was verified.\n',
      });
    },
  );

  it.each([
    [[]],
    [['a.zip', 'b.zip']],
    [['good.zip', '--unknown']],
    [['good.zip', '--quorum', 'x']],
  ])('exits with 2 for %j', async (words) => {
    const { exitCode, text } = await run(...words);
    expect(exitCode).toBe(2);
    expect(text).toMatch(/^Usage: /);
  });
});
