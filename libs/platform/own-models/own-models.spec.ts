import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ownModelEvents } from '#events/platform/own-model.events.js';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import { systemClock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore } from '#platform/runtime/faulty-stores.fake.js';
import { anyContext, silent } from '#platform/runtime/stock.fixture.js';
import { OwnModelFiles } from './own-model-files.js';
import { REMOVED_AT, terms } from './own-model.fixture.js';
import { OWN_MODEL_BYTES_MAX, OwnModels } from './own-models.js';

const WEIGHTS = Buffer.from('GGUF weights');
const order = { accountId: '7', slug: 'nano-tuned', ...terms };

describe('the models of accounts', () => {
  let eventStore: FaultyEventStore;
  let blobs: MemoryBlobs;
  const started: OwnModels[] = [];

  beforeEach(() => {
    eventStore = new FaultyEventStore();
    blobs = new MemoryBlobs();
  });
  afterEach(async () => {
    for (const models of started.splice(0)) await models.stop();
  });

  const open = (): OwnModels => {
    const codec = new EventCodec(ownModelEvents);
    const models = new OwnModels({ eventStore, codec, blobs, clock: systemClock, logger: silent });
    models.start();
    started.push(models);
    return models;
  };

  it('are found by their account, once they are registered, and by no other', async () => {
    const models = open();
    const model = await models.register(order, WEIGHTS, anyContext());
    expect(models.find('7/nano-tuned', '7')).toEqual(model);
    expect(models.find('7/nano-tuned', '8')).toBeUndefined();
    expect(models.ofAccount('7')).toEqual([model]);
    expect(models.ofAccount('8')).toEqual([]);
    expect(models.rateOf('7/nano-tuned')).toMatchObject({
      inputMicroUsdPerMtok: '50000',
      version: 3,
      batchDiscountPercent: 50,
    });
    expect(await models.fileOf(model)).toEqual(WEIGHTS);
  });

  it('are found in every process', async () => {
    const [one, other] = [open(), open()];
    const model = await one.register(order, WEIGHTS, anyContext());
    const context = anyContext();
    await other.register({ ...order, slug: 'second' }, WEIGHTS, context);
    expect(other.find('7/nano-tuned', '7')).toEqual(model);
  });

  it('are one model for a repeated request', async () => {
    const models = open();
    const context = contextOf('2b2d9a3e-0f0a-4a51-9a44-0b6a6a2f5f11', 'spec');
    const first = await models.register(order, WEIGHTS, context);
    expect(await models.register(order, WEIGHTS, context)).toEqual(first);
    expect(models.ofAccount('7')).toHaveLength(1);
  });

  it('are gone with their files once they are removed', async () => {
    const models = open();
    await models.register(order, WEIGHTS, anyContext());
    await blobs.sweep();
    expect(blobs.addresses).toHaveLength(1);
    await models.remove('7', '7/nano-tuned', REMOVED_AT, anyContext());
    expect(models.find('7/nano-tuned', '7')).toBeUndefined();
    await blobs.sweep();
    expect(blobs.addresses).toEqual([]);
    const again = models.remove('7', '7/nano-tuned', REMOVED_AT, anyContext());
    await expect(again).rejects.toMatchObject({ code: 'own_model_not_found' });
  });

  it('are not removed by another account', async () => {
    const models = open();
    await models.register(order, WEIGHTS, anyContext());
    const removal = models.remove('8', '7/nano-tuned', REMOVED_AT, anyContext());
    await expect(removal).rejects.toMatchObject({ code: 'own_model_not_found' });
  });

  it('are refused where no worker could copy the file', async () => {
    const large = new Uint8Array(OWN_MODEL_BYTES_MAX + 1);
    const registration = open().register(order, large, anyContext());
    await expect(registration).rejects.toMatchObject({ code: 'own_model_too_large' });
  });

  it('are written for the engine once, and make room for others', async () => {
    const models = open();
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-own-models-'));
    try {
      const files = new OwnModelFiles(models, folder, WEIGHTS.length);
      const first = await models.register(order, WEIGHTS, anyContext());
      const [one, same] = await Promise.all([files.pathOf(first), files.pathOf(first)]);
      expect(one).toBe(same);
      expect(await readFile(one)).toEqual(WEIGHTS);
      const other = { ...order, slug: 'second', sha256: 'ef'.repeat(32) };
      const second = await models.register(other, WEIGHTS, anyContext());
      await files.pathOf(second);
      expect(await readdir(folder)).toEqual([second.sha256]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
