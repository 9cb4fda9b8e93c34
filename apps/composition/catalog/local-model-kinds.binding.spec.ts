import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { GgufModelKinds, kindIn } from './local-model-kinds.binding.js';

const header = (entries: Readonly<Record<string, unknown>>) => new Map(Object.entries(entries));

describe('the kind of a model file', () => {
  it.each([
    [
      'an encoder',
      { 'general.architecture': 'nomic-bert', 'nomic-bert.embedding_length': 768 },
      768,
    ],
    ['a decoder that pools', decoder(3), 1_024],
    ['an encoder of unknown width', { 'general.architecture': 'bert' }, null],
  ])('is embedding: %s', (_, entries, dimensions) => {
    expect(kindIn(header(entries))).toEqual({ kind: 'embedding', dimensions });
  });

  it.each([
    ['a decoder', { 'general.architecture': 'llama', 'llama.embedding_length': 128 }],
    ['a decoder that pools nothing', decoder(0)],
    ['a header without an architecture', {}],
  ])('is chat: %s', (_, entries) => {
    expect(kindIn(header(entries))).toEqual({ kind: 'chat', dimensions: null });
  });

  it('is none for a model that ranks', () => {
    expect(kindIn(header(decoder(4)))).toMatchObject({ kind: 'unserved' });
  });

  it('is read from the file, and chat for a file of no kind', async () => {
    const kinds = new GgufModelKinds();
    const nano = path.resolve(import.meta.dirname, '../../../models/nano.gguf');
    expect(await kinds.kindOf(nano)).toMatchObject({ kind: 'chat' });
    expect(await kinds.kindOf(import.meta.filename)).toMatchObject({ kind: 'chat' });
    expect(await kinds.kindOf('/absent.gguf')).toMatchObject({ kind: 'chat' });
  });
});

function decoder(pooling: number) {
  return {
    'general.architecture': 'qwen3',
    'qwen3.pooling_type': pooling,
    'qwen3.embedding_length': 1_024,
  };
}
