import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type CatalogFile } from './catalog-entry.js';
import { CHAT_KIND } from './local-model-kinds.port.js';
import { ggufFilesIn, withLocalModels } from './local-models.js';

const FREE = { inputMicroUsdPerMtok: '0', outputMicroUsdPerMtok: '0' };
const terms = {
  ownedBy: 'local',
  price: FREE,
  contextTokens: 2048,
  maxOutputTokens: 512,
  chargesCancelled: true,
};
const builtIn = {
  kind: 'embedded',
  name: 'built-in',
  provider: null,
  collectsData: false,
  breaker: {},
  retries: {},
  maxConcurrency: 4,
  microUsdPerHour: null,
  region: null,
} as const;
const empty: CatalogFile = {
  rigs: [],
  models: [],
  localModels: terms,
  meters: [{ meter: 'knots', perUnits: 100, price: 3n }],
  batchDiscountPercent: 50,
};
const tiny = {
  ...terms,
  id: 'local/tiny.gguf',
  upstreamId: 'local/tiny.gguf',
  sendsDefaults: true,
  quantization: 'unknown',
  fallbacks: [],
  rigs: ['built-in'],
  file: '/home/models/tiny.gguf',
  draft: null,
  createdEpochSeconds: null,
  kind: 'chat',
  dimensions: null,
} as const;

/** A chat model. */
const fileAt = (path: string) => ({ path, model: CHAT_KIND });

describe('local models', () => {
  it('are served by the embedded rig of the catalog, on the terms for local models', () => {
    const offer = withLocalModels({ ...empty, rigs: [builtIn] }, [
      fileAt('/home/models/tiny.gguf'),
    ]);
    expect(offer).toEqual({
      rigs: [builtIn],
      models: [tiny],
      meters: empty.meters,
      batchDiscountPercent: 50,
      problems: [],
    });
  });

  it('get a rig of their own where the catalog has no embedded one', () => {
    const { rigs, models } = withLocalModels(empty, [fileAt('/home/models/tiny.gguf')]);
    expect(rigs).toEqual([{ ...builtIn, name: 'local-models' }]);
    expect(models).toEqual([{ ...tiny, rigs: ['local-models'] }]);
    expect(withLocalModels(empty, []).rigs).toEqual([]);
  });

  it('stand back behind a model of the catalog', () => {
    const { models, problems } = withLocalModels({ ...empty, rigs: [builtIn], models: [tiny] }, [
      fileAt('/elsewhere/tiny.gguf'),
    ]);
    expect(models).toEqual([tiny]);
    expect(problems).toEqual([
      '/elsewhere/tiny.gguf is not served: the catalog has a model local/tiny.gguf of its own',
    ]);
  });

  it('are left out, with a sentence, when their name cannot be an id', () => {
    const { models, problems } = withLocalModels(empty, [fileAt('/home/models/my model.gguf')]);
    expect(models).toEqual([]);
    expect(problems).toEqual([
      '/home/models/my model.gguf is not served: its name has characters that no model id has',
    ]);
  });

  it('are the GGUF files of a folder, in order of name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quipu-local-models-'));
    try {
      for (const name of ['b.gguf', 'a.gguf', 'c.txt']) await writeFile(join(folder, name), '');
      await mkdir(join(folder, 'folder.gguf'));
      expect(await ggufFilesIn(folder)).toEqual([join(folder, 'a.gguf'), join(folder, 'b.gguf')]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
