import { describe, expect, it } from '@jest/globals';
import { engineHost } from '#platform/tasks/counting.engine.fake.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { type OpenNetworks } from '../spiking.engine.js';
import { card, engineError, run, scriptedNetworks, WEIGHTS } from '../spiking-world.fixture.js';
import { spikingBatchEngineWith } from './spiking-batch.engine.js';
import { spikingBatchJob } from './spiking-batch.job.js';
import { type SpikingBatchAttempt, SpikingBatchPiece } from './spiking-batch.task.js';

const never = new AbortController().signal;

const attemptOf = (
  inputs: readonly string[],
  changes: Partial<SpikingBatchAttempt> = {},
): SpikingBatchAttempt => ({
  jobId: 'j',
  accountId: '7',
  submittedAt: '2026-11-22T15:00:00.000Z',
  attempt: 1,
  input: {
    slug: card.slug,
    weightsSha256: WEIGHTS,
    neuron: 'LIFNode',
    timesteps: 8,
    bound: { synapticEvents: 165, macs: 180 },
    inputs: [...inputs],
  },
  checkpoint: null,
  usage: [],
  ...changes,
});

/** Counts a multiply-accumulate for each character; rejects the input `knot`. */
const counting: OpenNetworks['run'] = ({ inputData }) =>
  inputData === 'knot'
    ? Promise.reject(engineError('input_invalid'))
    : Promise.resolve(run({ macs: String(inputData).length, synapticEvents: 2 }));

const runBatch = async (
  attempt: SpikingBatchAttempt,
  answer: OpenNetworks['run'] = counting,
  signal = never,
) => {
  const networks = scriptedNetworks(answer);
  const engine = await spikingBatchEngineWith(() => Promise.resolve(networks)).open(
    engineHost('worker', 'spec'),
  );
  return drain(engine.run(attempt, signal));
};

const summary = {
  slug: card.slug,
  neuron: 'LIFNode',
  timesteps: 8,
  inputs: 3,
  routingMode: 'hybrid_cnn',
  gridGramsPerKwh: 480,
};

describe('a batch of runs', () => {
  it('keeps the order of its inputs, and sums what was counted and charged', async () => {
    const { end } = await runBatch(attemptOf(['ab', 'knot', 'abc']));
    expect(end.result.items).toMatchObject([
      { index: 0, macs: 2, classification: { topClass: 'code' } },
      { index: 1, rejection: 'it is input_invalid' },
      { index: 2, macs: 3 },
    ]);
    expect(end.usage).toEqual([
      { meter: 'synaptic_events', quantity: 4 },
      { meter: 'macs', quantity: 5 },
    ]);
    expect(end.shown).toMatchObject({ runs: 2, rejected: 1, counts: { macs: 5, spikes: 12 } });
  });

  it('is charged no run above its bound', async () => {
    const long = 'x'.repeat(200);
    const { end } = await runBatch(attemptOf([long, 'ab']));
    expect(end.usage[1]).toEqual({ meter: 'macs', quantity: 182 });
    expect(end.shown.counts.macs).toBe(202);
  });

  it('continues behind its checkpoint, to the end of an undisturbed batch', async () => {
    const inputs = Array.from({ length: 45 }, (_, n) => 'x'.repeat(n + 1));
    const whole = await runBatch(attemptOf(inputs));
    expect(whole.pieces.map(({ done }) => done)).toEqual([20, 40]);
    for (const { checkpoint, usage } of whole.pieces) {
      const asked: unknown[] = [];
      const rest = await runBatch(attemptOf(inputs, { checkpoint, usage }), (input, signal) => {
        asked.push(input.inputData);
        return counting(input, signal);
      });
      expect(asked).toHaveLength(45 - checkpoint.items.length);
      expect(rest.end).toEqual(whole.end);
    }
  });

  it('reports what it has finished when it is stopped', async () => {
    const inputs = ['ab', 'abc', ...Array.from({ length: 30 }, () => 'x')];
    const stop = new AbortController();
    const pieces: unknown[] = [];
    const networks = scriptedNetworks((input, signal) => {
      if (input.inputData === 'abc') stop.abort();
      return counting(input, signal);
    });
    const definition = spikingBatchEngineWith(() => Promise.resolve(networks));
    const engine = await definition.open(engineHost('worker', 'spec'));
    const running = engine.run(attemptOf(inputs), stop.signal);
    await expect(
      (async () => {
        for await (const piece of running) pieces.push(piece);
      })(),
    ).rejects.toThrow();
    // The call that ran when the signal came is finished and charged; no other call follows.
    expect(pieces.at(-1)).toMatchObject({ done: 20, total: 32, usage: [{}, { quantity: 23 }] });
    expect(SpikingBatchPiece.safeParse(pieces.at(-1)).success).toBe(true);
  });

  it('fails where the weights differ from the priced ones', async () => {
    const other: OpenNetworks['run'] = () =>
      Promise.resolve({ ...run(), weightsSha256: 'b2'.repeat(32) });
    await expect(runBatch(attemptOf(['ab']), other)).rejects.toMatchObject({
      code: 'weights_invalid',
    });
  });

  it('has evidence by which its energy can be computed', async () => {
    const { end } = await runBatch(attemptOf(['ab', 'knot']));
    const evidence = spikingBatchJob.price?.evidence;
    const ended = { jobId: 'j', outcome: 'completed', attempts: 1, summary, shown: null } as const;
    expect(evidence?.({ ...ended, result: end.shown })).toMatchObject({
      ...summary,
      outcome: 'completed',
      measured: { runs: 1, weightsSha256: WEIGHTS, meterVersion: 1, counts: { macs: 2 } },
    });
    expect(evidence?.({ ...ended, outcome: 'cancelled', result: null })).toMatchObject({
      measured: null,
    });
    const rejected = await runBatch(attemptOf(['knot']));
    expect(evidence?.({ ...ended, result: rejected.end.shown })).toMatchObject({ measured: null });
  });
});
