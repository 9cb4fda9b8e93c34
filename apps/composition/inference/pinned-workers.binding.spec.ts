import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type Rig } from '#areas/inference/rigs/rig-state.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { engineBeatOf, heartbeatOf } from '#platform/tasks/worker-heartbeat.fixture.js';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { PinnedWorkers } from './pinned-workers.binding.js';

const NANO = path.resolve(import.meta.dirname, '../../../models/nano.gguf');
const sha256 = createHash('sha256')
  .update(await readFile(NANO))
  .digest('hex');
const MODELS = [
  { id: 'quipu/nano', upstreamId: 'nano', file: NANO },
  { id: 'acme/gone', upstreamId: 'gone', file: '/models/gone.gguf' },
  { id: 'acme/upstream', upstreamId: 'up', file: null },
] as unknown as readonly CatalogModel[];

const place = { region: 'uk', batchPercent: 50 };

/** The rig of a worker with these engines, which change during the test. */
const rigOf = (beat: { engines: WorkerHeartbeat['engines'] }): Rig => {
  const rig = { name: 'press', region: 'na' };
  const hear = () => ({ heartbeat: heartbeatOf('one', { rig, ...beat }), isSilent: false });
  const workers = new PinnedWorkers({ rig: hear }, {} as never, MODELS, place);
  const found = workers.find('press');
  // By its number, it is the same rig.
  expect(workers.find('145340810289304')).toBe(found);
  if (found === undefined || typeof found === 'string') throw new Error('the worker is up');
  return found;
};

const text = (...digests: readonly string[]) =>
  engineBeatOf('text', {
    tasksMax: 5,
    models: digests.map((digest, n) => ({ name: `m${n}`, sha256: digest })),
  });

describe('the rig of a worker for pins', () => {
  it('has the slots of its engine, and is where its operator says', () => {
    expect(rigOf({ engines: [text()] })).toMatchObject({
      maxConcurrency: 5,
      batchConcurrencyMax: 2,
      region: 'na',
      isRemote: true,
    });
  });

  it('serves the models whose files it has registered, as it registers them', async () => {
    const beat = { engines: [text('0'.repeat(64))] };
    const { models } = rigOf(beat);
    // Until the digest of the file here is known, the worker decides.
    expect(models.has('quipu/nano')).toBe(true);
    await eventually(() => !models.has('quipu/nano'));
    beat.engines = [text('0'.repeat(64), sha256)];
    expect(models.has('quipu/nano')).toBe(true);
    beat.engines = [];
    expect(models.has('quipu/nano')).toBe(false);
  });

  it('serves no model without a file, and leaves a file that is gone to the request', () => {
    const { models } = rigOf({ engines: [text(sha256)] });
    expect(models.has('acme/upstream')).toBe(false);
    expect(models.has('acme/none')).toBe(false);
    expect([...models]).toEqual(['quipu/nano', 'acme/gone']);
  });

  it('does what the embedded engine does', () => {
    expect([...(rigOf({ engines: [text()] }).features ?? [])]).toEqual([
      'tools',
      'json_schema',
      'logprobs',
      'choices',
      'adapters',
      'described_images',
    ]);
  });
});
