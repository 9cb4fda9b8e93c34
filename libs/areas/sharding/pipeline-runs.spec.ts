import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { type PipelineReceipt, type StartedPipeline } from './pipeline-runs.js';
import { RunPipelineCommand, RunPipelineHandler } from './run-pipeline.handler.js';
import { shardingFailures } from './sharding.errors.js';
import {
  DIGEST,
  endOf,
  openSharding,
  orderOf,
  runsOn,
  type Script,
  SETTINGS,
} from './sharding-world.fixture.js';

const never = new AbortController().signal;

/** Two pieces, then the end. */
const answering: Script = async function* () {
  await Promise.resolve();
  yield ['A ', 1, 9];
  yield ['knot.', 2, 9];
  return endOf();
};

/** Two pieces, then nothing until the signal aborts. */
const hanging: Script = async function* (_task, signal) {
  yield ['A ', 1, 9];
  yield ['knot', 2, 9];
  while (!signal.aborted) await setTimeout(1);
  return null;
};

const failing = (code: string, pieces = 1): Script =>
  async function* () {
    await Promise.resolve();
    for (let token = 1; token <= pieces; token += 1) yield ['A ', token, 9];
    throw new TaskError(code, `it is ${code}`);
  };

const read = async ({ texts }: StartedPipeline): Promise<[string, PipelineReceipt]> => {
  let text = '';
  let next = await texts.next();
  for (; !next.done; next = await texts.next()) text += next.value;
  return [text, next.value];
};

paidWorkContract('pipelines', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const { runs } = runsOn(paid, clock, async function* () {
      await Promise.resolve();
      work();
      yield ['A knot.', 2, 9];
      return endOf();
    });
    const handler = new RunPipelineHandler(runs);
    return Promise.resolve((order, signal) =>
      handler.execute(new RunPipelineCommand({ ...orderOf(), ...order }, signal)),
    );
  },
});

describe('an answer of a pipeline', () => {
  it('holds the worst case, then charges the tokens that were used', async () => {
    const { ledger, runs, registry } = openSharding(answering);
    const [text, { entry, end, cut }] = await read(await runs.start(orderOf(), never, 'in-pieces'));
    expect([text, cut]).toEqual(['A knot.', null]);
    expect(ledger.calls).toEqual(['place', 'capture completed']);
    expect(ledger.placed).toMatchObject({
      purpose: 'pipeline_completion',
      lines: [
        // Seven bytes, and what a template may add.
        { meter: 'input_tokens', quantity: 7 + 16 + 128 },
        { meter: 'output_tokens', quantity: 10 },
      ],
      rateCardVersion: 3,
      shrink: null,
      expiresAt: '2026-11-22T15:01:01.000Z',
      evidence: { modelAsked: 'acme/cord', transport: 'websocket' },
    });
    expect(ledger.captured).toMatchObject({
      lines: [{ quantity: 9 }, { quantity: 2 }],
      excess: [],
      model: 'acme/cord',
      usageSource: 'counted',
      evidence: {
        modelSha256: DIGEST,
        layers: ['0-1', '2-3'],
        failovers: 1,
        promptHash: 'hash of [{"role":"user","content":"A cord?"}]',
        replyHash: 'hash of A knot.',
      },
    });
    expect(entry?.chargedMicroUsd).toBe(9n + 2n * 2n);
    expect(end).toEqual(endOf());
    const metrics = await registry.metrics();
    expect(metrics).toContain('quipu_pipeline_answers_total 1');
    expect(metrics).toContain('quipu_pipeline_repeats_total 1');
    expect(metrics).toContain('quipu_pipeline_hop_seconds_count 1');
  });

  it('asks for as many tokens as the hold covers, with the given fields', async () => {
    const asked: unknown[] = [];
    const { runs, ledger } = openSharding(async function* (task, signal) {
      asked.push(task);
      return yield* answering(task, signal);
    });
    const changes = { maxTokens: null, topP: 0.9, seed: 5, stop: ['!'], temperature: 1 };
    await read(await runs.start(orderOf(changes), never, 'whole'));
    expect(ledger.placed).toMatchObject({
      lines: [{}, { quantity: 64 }],
      shrink: { meter: 'output_tokens', atLeast: 1 },
    });
    expect(asked).toEqual([
      {
        modelFile: '/models/cord.gguf',
        messages: orderOf().messages,
        transport: 'websocket',
        maxTokens: 64,
        temperature: 1,
        topP: 0.9,
        seed: 5,
        stop: ['!'],
      },
    ]);
  });

  it('is never charged above its hold; the excess is recorded', async () => {
    const { ledger, runs } = openSharding(async function* () {
      await Promise.resolve();
      yield ['x', 1, 400];
      return endOf({ promptTokens: 400, completionTokens: 12 });
    });
    await read(await runs.start(orderOf(), never, 'whole'));
    expect(ledger.captured).toMatchObject({
      lines: [{ quantity: 151 }, { quantity: 10 }],
      excess: [
        { meter: 'input_tokens', quantity: 249 },
        { meter: 'output_tokens', quantity: 2 },
      ],
    });
  });

  it.each([
    ['stage_lost', { kind: 'lost' }, 502, 'pipeline_stage_lost'],
    ['busy', { kind: 'busy' }, 429, 'pipeline_busy'],
    ['no_worker', { kind: 'away' }, 503, 'pipeline_unavailable'],
    ['boom', { kind: 'failed' }, 502, 'pipeline_failed'],
  ])('is free when the pipeline fails, also after text: %s', async (code, shape, status, named) => {
    for (const pieces of [0, 1, 3]) {
      const { ledger, runs } = openSharding(failing(code, pieces));
      const answer = async () => read(await runs.start(orderOf(), never, 'in-pieces'));
      const error: unknown = await answer().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(shape);
      expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
      const [mapping] = shardingFailures;
      expect(mapping?.describe(error as Error)).toMatchObject({ status, code: named });
    }
  });

  it.each([
    ['model_unsupported', 'pipeline_model_unsupported'],
    ['prompt_too_long', 'pipeline_prompt_too_long'],
    ['transport_unavailable', 'pipeline_transport_unavailable'],
  ])('is rejected, and free, where the engine cannot compute: %s', async (code, named) => {
    const { ledger, runs } = openSharding(failing(code, 0));
    await expect(runs.start(orderOf(), never, 'whole')).rejects.toMatchObject({ code: named });
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('costs what was delivered when its caller leaves a stream', async () => {
    const { ledger, runs } = openSharding(hanging);
    const caller = new AbortController();
    const { texts } = await runs.start(orderOf(), caller.signal, 'in-pieces');
    expect([await texts.next(), await texts.next()]).toMatchObject([
      { value: 'A ' },
      { value: 'knot' },
    ]);
    caller.abort(new RequestCutError('client_gone'));
    expect(await texts.next()).toMatchObject({
      done: true,
      value: { cut: { reason: 'client_gone' }, entry: { chargedMicroUsd: 13n }, end: null },
    });
    expect(ledger.captured).toMatchObject({
      outcome: 'client_gone',
      evidence: { modelSha256: null, layers: [], failovers: null, replyHash: 'hash of A knot' },
    });
  });

  const silent: Script = async function* (_task, signal) {
    while (!signal.aborted) await setTimeout(1);
    yield* [];
    return null;
  };

  it.each([
    ['is free when its caller leaves before a text', silent, 'client_gone', 'release client_gone'],
    ['costs its texts when its caller leaves', hanging, 'client_gone', 'capture client_gone'],
    ['is free when its time is up', hanging, 'timed_out', 'release timed_out'],
  ] as const)('as a whole answer %s', async (_, script, reason, end) => {
    const { ledger, runs } = openSharding(script);
    const caller = new AbortController();
    const reading = runs.start(orderOf(), caller.signal, 'whole').then(read);
    await setTimeout(5);
    caller.abort(new RequestCutError(reason));
    expect((await reading)[1]).toMatchObject({ cut: { reason } });
    expect(ledger.calls).toEqual(['place', end]);
  });

  it('ends when its time is up', async () => {
    const { ledger, runs } = openSharding(hanging, { requestMsMax: 20 });
    const [, { cut }] = await read(await runs.start(orderOf(), never, 'in-pieces'));
    expect(cut).toMatchObject({ reason: 'timed_out' });
    expect(ledger.calls).toEqual(['place', 'capture timed_out']);
  });

  it('ends its hold and its task when it is not read to the end', async () => {
    let signal = never;
    const { ledger, runs } = openSharding((task, given) => hanging(task, (signal = given)));
    const unread = await runs.start(orderOf(), never, 'in-pieces');
    await unread.texts[Symbol.asyncDispose]();
    expect(ledger.calls).toEqual(['place', 'release client_gone']);
    expect(signal.aborted).toBe(true);
    const begun = await runs.start(orderOf(), never, 'in-pieces');
    await begun.texts.next();
    await begun.texts[Symbol.asyncDispose]();
    expect(ledger.calls.slice(2)).toEqual(['place', 'capture client_gone']);
    expect(ledger.captures.at(-1)).toMatchObject({ lines: [{ quantity: 9 }, { quantity: 1 }] });
  });

  it.each([
    [{ model: 'other/none' }, 'pipeline_model_unknown'],
    [{ model: 'acme/far' }, 'pipeline_model_unsupported'],
    [{ maxTokens: 2_000 }, 'pipeline_max_tokens_above_context'],
    [{ transport: 'wireguard_direct' as const }, 'pipeline_transport_unavailable'],
  ])('is rejected before a hold: %p', async (changes, code) => {
    const { ledger, runs } = openSharding(answering);
    await expect(runs.start(orderOf(changes), never, 'whole')).rejects.toMatchObject({ code });
    expect(ledger.calls).toEqual([]);
  });

  it('throws the cut of a whole answer', async () => {
    const { runs } = openSharding(hanging, { requestMsMax: 20 });
    const handler = new RunPipelineHandler(runs);
    const asked = handler.execute(new RunPipelineCommand(orderOf(), never));
    await expect(asked).rejects.toMatchObject({ reason: 'timed_out' });
  });
});
