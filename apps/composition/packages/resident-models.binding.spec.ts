import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type OwnModel } from '#platform/own-models/own-model.decider.js';
import { InstalledModels } from './resident-models.binding.js';

const MODELS = path.resolve(import.meta.dirname, '../../../models');
const NANO = 'd103f293896e53938abb26d64c1e8481f55cbadb0059ac900d937c9d67ac3094';
const TERMS = {
  kind: 'chat',
  rigs: ['built-in'],
  contextTokens: 1_024,
  maxOutputTokens: 256,
  dimensions: null,
};

describe('resident models', () => {
  let folder: string;
  let models: InstalledModels;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-resident-'));
    await copyFile(path.join(MODELS, 'nano.gguf'), path.join(folder, 'digest'));
    await copyFile(path.join(MODELS, 'nano.gguf'), path.join(folder, 'bare.gguf'));
    await writeFile(path.join(folder, 'broken.gguf'), 'no GGUF');
    const listed = [
      { ...TERMS, id: 'quipu/nano', file: path.join(MODELS, 'nano.gguf') },
      { ...TERMS, id: 'local/bare', file: path.join(folder, 'bare.gguf') },
      { ...TERMS, id: 'local/broken', file: path.join(folder, 'broken.gguf') },
      { ...TERMS, id: 'local/absent', file: path.join(folder, 'absent.safetensors') },
      { ...TERMS, id: 'acme/llama', file: null, rigs: ['vllm'] },
      {
        ...{ ...TERMS, id: 'quipu-embed-768', kind: 'embedding', dimensions: 768 },
        file: path.join(MODELS, 'embeddings/quipu-embed-768/model.safetensors'),
      },
    ] as unknown as readonly CatalogModel[];
    const catalog = {
      models: () => listed,
      rigs: () => [
        { name: 'built-in', kind: 'embedded' as const },
        { name: 'vllm', kind: 'openai' as const },
      ],
      status: () => ({ file: path.join(MODELS, '../catalog.yaml') }),
    };
    const own = { accountId: '7', slug: 'small', ...TERMS } as unknown as OwnModel;
    models = new InstalledModels(path.join(MODELS, '../LICENSE'), catalog, {
      models: {
        find: (name, account) => (name === '7/small' && account === '7' ? own : undefined),
      },
      files: { pathOf: () => Promise.resolve(path.join(folder, 'digest')) },
    });
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('have the card and the licence that are beside the file', async () => {
    const nano = await models.find('quipu/nano', '7');
    expect(nano).toMatchObject({ sha256: NANO, fileName: 'model.gguf', isOwned: false });
    expect(nano).toMatchObject({ architecture: 'llama', licence: { spdxId: 'Apache-2.0' } });
    expect(nano.card).toContain('# Quipu nano');
    expect(nano.licence.text).toContain('Apache License');
    const embedding = await models.find('quipu-embed-768', '7');
    expect(embedding).toMatchObject({ fileName: 'model.safetensors', dimensions: 768 });
    expect(embedding.licence.spdxId).toBe('Apache-2.0');
  });

  it('have the facts of the header where no card is beside the file', async () => {
    const { card } = await models.find('local/bare', '7');
    expect(card).toContain('- general.name: Quipu nano');
  });

  it("are the account's own, and of no other account", async () => {
    expect(await models.find('7/small', '7')).toMatchObject({
      modelId: '7/small',
      sha256: NANO,
      fileName: 'model.gguf',
      isOwned: true,
    });
    const foreign = models.find('7/small', '8');
    await expect(foreign).rejects.toMatchObject({ code: 'package_model_unknown' });
  });

  it('are found by the path of their file, and no other file is', async () => {
    expect((await models.find('models/nano.gguf', '7')).modelId).toBe('quipu/nano');
    for (const source of ['LICENSE', '/etc/passwd', '../../etc/passwd', folder, '']) {
      const finding = models.find(source, '7');
      await expect(finding).rejects.toMatchObject({ code: 'package_model_unknown' });
    }
  });

  it.each(['acme/llama', 'local/broken', 'local/absent'])(
    'are not without readable weights: %s',
    async (id) => {
      const finding = models.find(id, '7');
      await expect(finding).rejects.toMatchObject({ code: 'package_model_unsuitable' });
    },
  );
});
