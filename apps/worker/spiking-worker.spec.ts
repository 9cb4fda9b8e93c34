import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spikingBatchEngine } from '#areas/spiking/batches/spiking-batch.engine.js';
import { ModelCard } from '#areas/spiking/model-card.js';
import {
  type OpenNetworks,
  openNetworks,
  spikingEngine,
  type SpikingInput,
} from '#areas/spiking/spiking.engine.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { Fleet, SHIPPED_MODELS } from './worker.fixture.js';

const SLUG = 'snnlib/hybrid-spiking-cnn';
const CARD = path.join(SHIPPED_MODELS, 'spiking', 'hybrid-cnn', 'card.json');
const never = new AbortController().signal;

const input = (changes: Partial<SpikingInput> = {}): SpikingInput => ({
  slug: SLUG,
  inputData: 'Write a function that sorts a list.',
  timesteps: 4,
  neuron: null,
  raster: true,
  session: null,
  ...changes,
});

describe('spiking networks on a worker', () => {
  let fleet: Fleet;
  let local: OpenNetworks;

  beforeAll(async () => {
    fleet = new Fleet(createInProcessBus());
    await fleet.worker('worker-1', { engines: [spikingEngine, spikingBatchEngine] });
    local = await openNetworks({ modelFolders: [SHIPPED_MODELS] });
  });

  afterAll(async () => {
    await local.close();
    await fleet.close();
  });

  const gateway = () => fleet.gateway('gateway-1', { hedgeMs: 60_000 });

  it('count what they count in this process', async () => {
    const { tasks } = gateway();
    const { end } = await drain(tasks.run(spikingEngine, input(), never));
    const here = await local.run(input(), never);
    expect(end).toEqual({ ...here, latencyMs: expect.any(Number) });
    expect(here.counts.spikes).toBeGreaterThan(0);
  });

  it.each([
    [
      {
        inputData: [
          [
            [
              [1, 2],
              [3, 4],
            ],
          ],
          [
            [
              [1, 2],
              [3, 4],
            ],
          ],
        ],
      },
      'input_invalid',
    ],
    [{ slug: 'snnlib/none' }, 'model_unknown'],
  ])('say why they do not run: %p', async (changes, code) => {
    const running = drain(gateway().tasks.run(spikingEngine, input(changes), never));
    await expect(running).rejects.toMatchObject({ code });
  });

  it('run a batch', async () => {
    const card = ModelCard.parse(JSON.parse(await readFile(CARD, 'utf8')));
    const attempt = {
      jobId: '01890a5d-ac96-774b-bcce-b302099a8057',
      accountId: '7',
      submittedAt: '2026-11-22T15:00:00.000Z',
      attempt: 1,
      input: {
        slug: SLUG,
        weightsSha256: card.weightsSha256,
        neuron: 'LIFNode',
        timesteps: 4,
        bound: { synapticEvents: 1_000_000, macs: 1_000_000 },
        inputs: Array.from({ length: 21 }, (_, n) => `Sort ${n} numbers.`),
      },
      checkpoint: null,
      usage: [],
    } as const;
    const asked = { ...attempt, input: { ...attempt.input, inputs: [...attempt.input.inputs] } };
    const { pieces, end } = await drain(gateway().tasks.run(spikingBatchEngine, asked, never));
    expect(pieces.map(({ done }) => done)).toEqual([20]);
    expect(end?.result.items).toHaveLength(21);
    const last = input({ inputData: 'Sort 20 numbers.', neuron: 'LIFNode', raster: false });
    const { classification, counts } = await local.run(last, never);
    expect(end?.result.items.at(-1)).toMatchObject({ classification, macs: counts.macs });
  });
});
