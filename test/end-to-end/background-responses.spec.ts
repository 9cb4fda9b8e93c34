import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import {
  answering,
  eventually,
  MODEL,
  overstating,
  startWorld,
  type World,
} from './quipu.harness.js';
import { json, type Script } from '#areas/inference/rigs/upstream.fake.js';

/** The script in the last message: `hang`, `fail`, `overstate`, or else a sentence. */
let hangs = true;
const rig: Script = (response, received) => {
  const messages = received.body['messages'] as readonly { readonly content: unknown }[];
  const asked = messages.at(-1)?.content;
  if (asked === 'hang' && hangs) return;
  if (asked === 'fail')
    json(400, { error: { message: 'no', code: 'knotted' } })(response, received);
  else if (asked === 'overstate') overstating(response, received);
  else answering('Knots', '.')(response, received);
};

describe('responses in the background for the official client', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([rig], { environment: { QUIPU_DRAIN_SECONDS: '1' } });
  });

  afterAll(() => world.close());

  const begin = (input: string, more: object = {}) =>
    world.openai.responses.create({ model: MODEL, input, background: true, ...more });

  const until = async (id: string, ...statuses: readonly (string | undefined)[]) => {
    let response = await world.openai.responses.retrieve(id);
    await eventually(async () => {
      response = await world.openai.responses.retrieve(id);
      return statuses.includes(response.status);
    });
    return response;
  };

  const moneyOf = async ({ id }: Pick<OpenAI.Responses.Response, 'id'>) =>
    (await world.events()).filter(
      ({ type, data }) => type.startsWith('Hold') && JSON.stringify(data).includes(id),
    );

  it('are queued, polled and completed, for the price of their chat', async () => {
    const queued = await begin('What do knots do?', { metadata: { purpose: 'test' } });
    expect(queued).toMatchObject({
      object: 'response',
      background: true,
      status: 'queued',
      store: true,
      output: [],
      completed_at: null,
      usage: null,
      metadata: { purpose: 'test' },
    });
    const done = await until(queued.id, 'completed');
    expect(done).toMatchObject({
      id: queued.id,
      created_at: queued.created_at,
      background: true,
      output_text: 'Knots.',
      metadata: { purpose: 'test' },
      usage: { input_tokens: 9, output_tokens: 2 },
    });
    // 9 tokens at 1 and 2 at 2 micro-dollars.
    expect(await moneyOf(queued)).toMatchObject([
      { type: 'HoldPlaced', data: { purpose: 'background_response' } },
      { type: 'HoldCaptured', data: { amountMicroUsd: '13', evidence: { outcome: 'completed' } } },
    ]);
    const items = await world.openai.responses.inputItems.list(queued.id);
    expect(items.data).toMatchObject([{ content: [{ text: 'What do knots do?' }] }]);
    expect(await world.openai.responses.cancel(queued.id)).toMatchObject({ status: 'completed' });
    const log = (await world.events()).map(({ data }) => JSON.stringify(data)).join('');
    expect(log).not.toContain('What do knots do?');
  });

  it('name the doubts about the usage that a rig states', async () => {
    const done = await until((await begin('overstate')).id, 'completed');
    await eventually(async () => (await moneyOf(done)).length === 2);
    expect((await moneyOf(done))[1]?.data).toMatchObject({
      evidence: { usageDoubts: ['parts_above_total'] },
    });
    const events = await world.events();
    expect(events.find(({ data }) => JSON.stringify(data).includes('usageDoubts'))).toMatchObject({
      type: 'JobCompleted',
      data: { summary: { status: 'completed', usageDoubts: ['parts_above_total'] } },
    });
  });

  it('continue a conversation, and are continued', async () => {
    const first = await world.openai.responses.create({ model: MODEL, input: 'one' });
    const second = await begin('two', { previous_response_id: first.id });
    await until(second.id, 'completed');
    const third = await begin('three', { previous_response_id: second.id });
    await until(third.id, 'completed');
    expect(world.upstream.received.at(-1)?.body['messages']).toEqual(
      ['one', 'Knots.', 'two', 'Knots.', 'three'].map((content, n) => ({
        role: n % 2 === 0 ? 'user' : 'assistant',
        content,
      })),
    );
    await world.openai.responses.delete(third.id);
    await expect(world.openai.responses.retrieve(third.id)).rejects.toMatchObject({ status: 404 });
  });

  it('fail with the error of the rig, free of charge', async () => {
    const queued = await begin('fail');
    const failed = await until(queued.id, 'failed');
    expect(failed).toMatchObject({ error: { code: 'knotted', message: 'no' }, usage: null });
    expect(await moneyOf(queued)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '0', lines: [] } },
    ]);
    expect((await world.events()).at(-1)?.type).toBe('ResponseStored');
    const continued = begin('a', { previous_response_id: queued.id });
    await expect(continued).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_unfinished',
      param: 'previous_response_id',
    });
  });

  it('are cancelled, and charged for the prompt that a rig has', async () => {
    const { id } = await begin('hang');
    await until(id, 'in_progress');
    const { responses } = world.openai;
    await expect(responses.delete(id)).rejects.toMatchObject({
      status: 409,
      code: 'response_unfinished',
    });
    await expect(begin('a', { previous_response_id: id })).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_unfinished',
    });
    expect(await responses.cancel(id)).toMatchObject({ id, status: 'cancelled', output: [] });
    expect(await responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
    await eventually(async () => (await moneyOf({ id })).length === 2);
    const [, captured] = await moneyOf({ id });
    expect(captured).toMatchObject({
      type: 'HoldCaptured',
      data: { amountMicroUsd: expect.stringMatching(/^[1-9]/), evidence: { outcome: 'cancelled' } },
    });
    await responses.delete(id);
  });

  it('are not cancelled where they are none', async () => {
    const { id } = await world.openai.responses.create({ model: MODEL, input: 'a' });
    const { responses } = world.openai;
    await expect(responses.cancel(id)).rejects.toMatchObject({
      status: 400,
      code: 'response_not_in_background',
    });
    await expect(responses.cancel('resp_of_another')).rejects.toMatchObject({ status: 404 });
  });

  it('are one response for an Idempotency-Key', async () => {
    const options = { headers: { 'idempotency-key': 'one response' } };
    const send = () =>
      world.openai.responses.create({ model: MODEL, input: 'a', background: true }, options);
    const first = await send();
    expect(await send()).toEqual(first);
    await until(first.id, 'completed');
  });

  it('are checked as a chat is, before anything is recorded', async () => {
    const before = (await world.events()).length;
    const long = begin('a', { max_output_tokens: 8_000_000 });
    await expect(long).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
    await expect(begin('a', { model: 'acme/none' })).rejects.toMatchObject({ status: 404 });
    expect(await world.events()).toHaveLength(before);
  });

  it('survive a restart, and are charged once', async () => {
    const queued = await begin('hang');
    await until(queued.id, 'in_progress');
    hangs = false;
    world = await world.restart();
    expect(await until(queued.id, 'completed')).toMatchObject({ output_text: 'Knots.' });
    expect((await moneyOf(queued)).map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
  });
});
