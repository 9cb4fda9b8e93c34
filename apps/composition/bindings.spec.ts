import { glob, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Module } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { defineArea } from '#platform/runtime/areas/area.js';
import { areas } from './areas.js';
import { bindingsOf } from './bindings.js';

@Module({})
class EmptyModule {}

describe('the bindings of areas', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-bindings-'));
  });

  afterEach(async () => rm(folder, { recursive: true }));

  const knots = defineArea({ name: 'knots', module: EmptyModule });

  it('are found by the name of the area', async () => {
    const names = new Set(areas.map(({ name }) => name));
    const files = await Array.fromAsync(glob('*/*.bindings.ts', { cwd: import.meta.dirname }));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const area = path.dirname(file);
      expect(path.basename(file)).toBe(`${area}.bindings.ts`);
      expect(names).toContain(area);
    }
  });

  it('are none where the area has no file', async () => {
    expect(await bindingsOf([knots], [folder])).toEqual([]);
  });

  it('must be exported', async () => {
    await mkdir(path.join(folder, 'knots'));
    const file = path.join(folder, 'knots', 'knots.bindings.ts');
    await writeFile(file, 'export const other = 1;\n');
    await expect(bindingsOf([knots], [folder])).rejects.toThrow(`${file} exports no bindings`);
  });
});
