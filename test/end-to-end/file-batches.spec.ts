import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenAI } from 'openai';
import { answering, eventually, startWorld, type World } from './quipu.harness.js';
import { CONTRACT, KNOTS, uploadText, vectorCatalog } from './vector-stores.fixture.js';

const fileIdOf = (n: number): string => `file-${String(n).padStart(32, '0')}`;

describe('a batch of files for the official client', () => {
  let world: World;
  let openai: OpenAI;
  let contract: OpenAI.FileObject;
  let knots: OpenAI.FileObject;

  beforeAll(async () => {
    world = await startWorld([answering('Knots', '.')], { catalogOf: vectorCatalog });
    ({ openai } = world);
    contract = await uploadText(openai, 'contract.txt', CONTRACT);
    knots = await uploadText(openai, 'knots.txt', KNOTS);
  });

  afterAll(() => world.close());

  const stored = async (...files: readonly OpenAI.FileObject[]) => {
    const store = await openai.vectorStores.create({ name: 'Harbour' });
    for (const { id: file_id } of files)
      await openai.vectorStores.files.create(store.id, { file_id });
    return store.id;
  };

  const ended = async (store: string, id: string) => {
    const { fileBatches } = openai.vectorStores;
    await eventually(async () => {
      const { status } = await fileBatches.retrieve(id, { vector_store_id: store });
      return status !== 'in_progress';
    });
    return fileBatches.retrieve(id, { vector_store_id: store });
  };
  const listed = (store: string, id: string, more: object = {}) =>
    Array.fromAsync(
      openai.vectorStores.fileBatches.listFiles(id, { vector_store_id: store, ...more }),
    );

  it('is attached by jobs, each charged, and its files are searched', async () => {
    const store = await stored();
    const created = await openai.vectorStores.fileBatches.create(store, {
      ...{ file_ids: [contract.id, knots.id], attributes: { year: 2026 } },
    });
    expect(created).toMatchObject({
      ...{ object: 'vector_store.files_batch', vector_store_id: store },
      file_counts: { total: 2, failed: 0 },
    });
    expect(created.id).toMatch(/^vsfb_[0-9a-f]{32}$/);
    expect(await ended(store, created.id)).toMatchObject({
      ...{ id: created.id, status: 'completed', created_at: created.created_at },
      file_counts: { in_progress: 0, completed: 2, failed: 0, cancelled: 0, total: 2 },
    });
    const files = await listed(store, created.id, { limit: 1, order: 'asc' });
    expect(files.map(({ id, status }) => [id, status])).toEqual([
      [contract.id, 'completed'],
      [knots.id, 'completed'],
    ]);
    const held = (await openai.vectorStores.retrieve(store)).usage_bytes;
    expect(files.reduce((sum, file) => sum + file.usage_bytes, 0)).toBe(held);
    const filters = { type: 'eq', key: 'year', value: 2026 } as const;
    const query = 'Who signs the contract?';
    const { data } = await openai.vectorStores.search(store, { query, filters });
    expect(data.map(({ file_id }) => file_id)).toEqual([contract.id, knots.id]);
    const charges = async () =>
      (await world.events()).filter(
        ({ type, data: charged }) =>
          type === 'HoldCaptured' && JSON.stringify(charged).includes('vault_ingest_job'),
      );
    await eventually(async () => (await charges()).length === 2);
  });

  it('names the file that fails, and is refused where each one fails', async () => {
    const store = await stored(knots);
    const image = await uploadText(openai, 'image.txt', Buffer.from([0xff, 0xfe, 0xfd]));
    const { fileBatches } = openai.vectorStores;
    const batch = await fileBatches.create(store, {
      files: [{ file_id: contract.id, attributes: { kind: 'one' } }, { file_id: image.id }],
    });
    expect(await ended(store, batch.id)).toMatchObject({
      ...{ status: 'completed', file_counts: { completed: 1, failed: 1, total: 2 } },
    });
    expect(await listed(store, batch.id, { filter: 'failed' })).toMatchObject([
      {
        ...{ id: image.id, status: 'failed', usage_bytes: 0 },
        last_error: { code: 'invalid_file', message: expect.stringContaining('UTF-8') },
      },
    ]);
    const again = fileBatches.create(store, { file_ids: [knots.id, image.id] });
    await expect(again).rejects.toMatchObject({ status: 409, code: 'vault_file_exists' });
    const at = { vector_store_id: await stored() };
    await expect(fileBatches.retrieve(batch.id, at)).rejects.toMatchObject({
      ...{ status: 404, code: 'vector_store_batch_not_found', param: 'batch_id' },
    });
  });

  it('may be cancelled, and keeps what is attached', async () => {
    const store = await stored();
    const long = await uploadText(
      openai,
      'long.txt',
      `${'Knots on a cord. '.repeat(46)}\n\n`.repeat(300),
    );
    const at = { vector_store_id: store };
    const { fileBatches } = openai.vectorStores;
    const { id } = await fileBatches.create(store, { file_ids: [long.id] });
    await fileBatches.cancel(id, at);
    const cancelled = await ended(store, id);
    expect(cancelled).toMatchObject({ status: 'cancelled', file_counts: { cancelled: 1 } });
    expect((await openai.vectorStores.retrieve(store)).file_counts.total).toBe(0);
  });

  it.each([
    ['file_ids', {}],
    ['file_ids', { file_ids: [] }],
    ['file_ids', { file_ids: ['a', 'a'].map(() => `file-${'0'.repeat(32)}`) }],
    ['file_ids', { file_ids: Array.from({ length: 101 }, (_, n) => fileIdOf(n)) }],
    ['attributes', { files: [{ file_id: fileIdOf(1) }], attributes: {} }],
  ])('is refused for its %s', async (param, body) => {
    const created = openai.vectorStores.fileBatches.create(await stored(), body);
    await expect(created).rejects.toMatchObject({ status: 400, param });
  });
});
