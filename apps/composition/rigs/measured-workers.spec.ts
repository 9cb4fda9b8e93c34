import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { RigProblem } from '#areas/rigs/measured-rigs.port.js';
import { type HeardRig } from '#platform/tasks/worker-directory.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { engineBeatOf, heartbeatOf } from '#platform/tasks/worker-heartbeat.fixture.js';
import { MeasuredWorkers } from './measured-workers.js';

const NANO = path.resolve(import.meta.dirname, '../../../models/nano.gguf');
const sha256 = createHash('sha256')
  .update(await readFile(NANO))
  .digest('hex');

const modelOf = (id: string, more: Partial<CatalogModel> = {}): CatalogModel =>
  ({ id, kind: 'chat', file: NANO, maxOutputTokens: 64, ...more }) as CatalogModel;

const MODELS = [
  modelOf('quipu/nano'),
  modelOf('quipu/vectors', { kind: 'embedding' }),
  modelOf('acme/upstream', { file: null }),
  modelOf('acme/elsewhere', { file: '/models/elsewhere.gguf' }),
];

const beat = (engines: WorkerHeartbeat['engines'], status: WorkerHeartbeat['status'] = 'ready') =>
  heartbeatOf('worker-1', { rig: { name: 'press', region: 'uk' }, status, engines });

const text = (digest: string) =>
  engineBeatOf('text', { tasksMax: 4, models: [{ name: 'nano', sha256: digest }] });

const workersHearing = (heard: HeardRig | undefined): MeasuredWorkers => {
  const rig = (name: string) => (name === 'press' ? heard : undefined);
  return new MeasuredWorkers({ ready: () => Promise.resolve([]), rig }, () => MODELS, 75);
};

describe('the rigs of workers that are measured', () => {
  const up = workersHearing({ heartbeat: beat([text(sha256)]), isSilent: false });

  it('have the models of the catalog whose files they name, and slots for batches', async () => {
    expect(await up.find('press')).toMatchObject({
      name: 'press',
      kind: 'worker',
      streamsMax: 3,
      models: [{ id: 'quipu/nano', outputTokensMax: 64 }],
      description: { region: 'uk', engines: [{ name: 'text', tasksMax: 4 }] },
    });
    expect(await up.listedModels('press')).toEqual(new Set(['quipu/nano']));
  });

  it('do not list a model with another version of its file', async () => {
    const heartbeat = beat([text('0'.repeat(64))]);
    const workers = workersHearing({ heartbeat, isSilent: false });
    expect((await workers.find('press'))?.models).toHaveLength(1);
    expect(await workers.listedModels('press')).toEqual(new Set());
  });

  it.each<[string, HeardRig | undefined]>([
    ['was not heard', undefined],
    ['is silent', { heartbeat: beat([text(sha256)]), isSilent: true }],
    ['is drained', { heartbeat: beat([text(sha256)], 'draining'), isSilent: false }],
    ['runs no language models', { heartbeat: beat([engineBeatOf('wasm')]), isSilent: false }],
  ])('are not there for a worker that %s', async (_, heard) => {
    const workers = workersHearing(heard);
    expect(await workers.find('press')).toBeUndefined();
    await expect(workers.listedModels('press')).rejects.toThrow(RigProblem);
  });
});
