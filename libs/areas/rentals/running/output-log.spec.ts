import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutputLog } from './output-log.js';

describe('the log of a rental', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'rental-log-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const file = () => path.join(folder, 'output.log');

  it('has what was written, in order, also by a later attempt', async () => {
    for (const attempt of ['one', 'two']) {
      const log = await OutputLog.open(file());
      log.note(attempt);
      for (let piece = 1; piece <= 3; piece += 1) log.append(Buffer.from(`${piece}\n`));
      await log.close();
    }
    expect(await readFile(file(), 'utf8')).toBe('[quipu] one\n1\n2\n3\n[quipu] two\n1\n2\n3\n');
  });

  it('ends at its limit, says so once, and still takes notes', async () => {
    const log = await OutputLog.open(file(), 10);
    for (const piece of ['12345', '67890abc', 'def']) log.append(Buffer.from(piece));
    log.note('over');
    await log.close();
    const full = '1234567890\n[quipu] the log has 10 bytes and is full\n[quipu] over\n';
    expect(await readFile(file(), 'utf8')).toBe(full);
  });
});
