import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GgufFormatError, parseGgufHeader } from './gguf.header.js';
import { listModelFiles } from './model-files.js';

describe('model files', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-model-files-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('are the GGUF files of the folders, in order; an absent folder has none', async () => {
    await mkdir(path.join(folder, 'folder.gguf'));
    for (const name of ['b.gguf', 'a.gguf', 'notes.txt']) {
      await writeFile(path.join(folder, name), '');
    }
    expect(await listModelFiles([path.join(folder, 'absent'), folder])).toEqual([
      path.join(folder, 'a.gguf'),
      path.join(folder, 'b.gguf'),
    ]);
  });

  it('are refused with a reason when they are no GGUF', () => {
    const version = (value: number) => Buffer.from([0x47, 0x47, 0x55, 0x46, value, 0, 0, 0]);
    expect(() => parseGgufHeader(Buffer.from('PK'))).toThrow(GgufFormatError);
    expect(() => parseGgufHeader(version(9))).toThrow(/version 9/);
    expect(() => parseGgufHeader(version(3))).toThrow(/cut short/);
  });
});
