import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseGgufHeader } from '#engines/language-model/gguf.header.js';
import { tinyBase, tinyWeights, uploaded } from './adapter.fixture.js';
import { AdapterFiles } from './adapter-files.js';
import { type FoundAdapter, uploadedEntry } from './adapter-vault.js';

describe('an adapter for the engine', () => {
  let engineFolder: string;
  let files: AdapterFiles;
  let reads: number;

  beforeEach(async () => {
    engineFolder = path.join(await mkdtemp(path.join(tmpdir(), 'quipu-adapters-')), 'adapters');
    files = new AdapterFiles({ engineFolder });
    reads = 0;
  });

  afterEach(() => rm(path.dirname(engineFolder), { recursive: true }));

  const found = (alpha = 4): FoundAdapter => ({
    entry: { ...uploadedEntry(uploaded.data), alpha },
    weights: () => {
      reads += 1;
      return Promise.resolve(tinyWeights());
    },
  });

  it('has the names and the alpha that llama.cpp reads', async () => {
    const bytes = await readFile(await files.fileOf(found(), tinyBase));
    const { metadata, tensors } = parseGgufHeader(bytes);
    expect(Object.fromEntries(metadata)).toEqual({
      'general.type': 'adapter',
      'general.architecture': 'llama',
      'adapter.type': 'lora',
      'adapter.lora.alpha': 4,
    });
    expect(tensors.map(({ name, dimensions }) => [name, ...dimensions])).toEqual([
      ['blk.0.attn_q.weight.lora_a', 8, 2],
      ['blk.0.attn_q.weight.lora_b', 2, 8],
      ['blk.1.ffn_up.weight.lora_a', 8, 2],
      ['blk.1.ffn_up.weight.lora_b', 2, 6],
      ['blk.1.attn_k.weight.lora_a', 8, 2],
      ['blk.1.attn_k.weight.lora_b', 2, 4],
    ]);
  });

  it('has the rows of queries and keys in the order of llama.cpp, and no others', async () => {
    const bytes = await readFile(await files.fileOf(found(), tinyBase));
    const { tensors, dataStart } = parseGgufHeader(bytes);
    const firstOfRows = (name: string, rows: number): number[] => {
      const start = dataStart + (tensors.find((one) => one.name === name)?.offset ?? NaN);
      return Array.from({ length: rows }, (_, row) => bytes.readFloatLE(start + 8 * row));
    };
    // Two heads of four rows, whose halves are interleaved; a row has two numbers.
    expect(firstOfRows('blk.0.attn_q.weight.lora_b', 8)).toEqual([
      100, 104, 102, 106, 108, 112, 110, 114,
    ]);
    expect(firstOfRows('blk.1.attn_k.weight.lora_b', 4)).toEqual([300, 304, 302, 306]);
    expect(firstOfRows('blk.1.ffn_up.weight.lora_b', 6)).toEqual([500, 502, 504, 506, 508, 510]);
  });

  it('is written once, also by callers at once, and again after its removal', async () => {
    const [one, other] = await Promise.all([
      files.fileOf(found(), tinyBase),
      files.fileOf(found(), tinyBase),
    ]);
    expect(one).toBe(other);
    await files.fileOf(found(), tinyBase);
    expect(reads).toBe(1);
    await files.remove(uploaded.data);
    expect(await readdir(engineFolder)).toEqual([]);
    await files.fileOf(found(), tinyBase);
    expect(reads).toBe(2);
  });

  it('is another file for another alpha', async () => {
    const [one, other] = [
      await files.fileOf(found(4), tinyBase),
      await files.fileOf(found(8), tinyBase),
    ];
    expect(one).not.toBe(other);
  });

  it('is refused on other weights than it was made for', async () => {
    const base = { ...tinyBase, sha256: '00'.repeat(32) };
    await expect(files.fileOf(found(), base)).rejects.toThrow('was made for other weights');
  });
});
