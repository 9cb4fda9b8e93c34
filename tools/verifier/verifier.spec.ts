import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  billOf,
  HISTORY,
  logKey,
  STATEMENT,
  witnessKey,
  zipped,
} from '#areas/audit/bill/bill.fixture.js';

const BUILD = path.resolve(import.meta.dirname, 'build.mjs');

describe('the verifier as one file', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-verifier-'));
    const file = path.join(folder, 'verify-bill.mjs');
    await promisify(execFile)(process.execPath, [BUILD, file]);
    await writeFile(path.join(folder, 'good.zip'), await zipped(billOf(HISTORY)));
    const wrong = billOf(HISTORY, { ...STATEMENT, closingMicroUsd: '981' });
    await writeFile(path.join(folder, 'bad.zip'), await zipped(wrong));
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** In a folder of its own, without a module of this repository. */
  const run = async (...words: readonly string[]) => {
    const command = ['verify-bill.mjs', ...words];
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
    expect((await readdir(folder)).sort()).toEqual(['bad.zip', 'good.zip', 'verify-bill.mjs']);
  });

  it('proves a bill, for people and for scripts', async () => {
    const { exitCode, text } = await run('good.zip', '--key', logKey, '--witness', witnessKey);
    expect(exitCode).toBe(0);
    expect(text).toContain('The statement 2026-02 of account 7 (closed) is proved.');
    const json = await run('good.zip', '--json');
    expect(JSON.parse(json.text)).toMatchObject({ success: true, chargedMicroUsd: '33' });
  });

  it('exits with 1 and the reason for a bill that is not proved', async () => {
    const message = 'closingMicroUsd is stated as 981, and the events come to 980';
    expect(await run('bad.zip')).toEqual({ exitCode: 1, text: `NOT proved: ${message}\n` });
    const { exitCode, text } = await run('bad.zip', '--json');
    expect({ exitCode, ...JSON.parse(text) }).toEqual({
      exitCode: 1,
      success: false,
      code: 'bill_not_proved',
      message,
    });
    expect((await run('absent.zip')).exitCode).toBe(1);
  });

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
