import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import {
  chunksOf,
  completionOf,
  DONE,
  eventOf,
  json,
  type Script,
  sse,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { eventsOf, eventually, MODEL, startWorld, type World } from './quipu.harness.js';

/** Answers with the prompt in capitals, a token for each word; `fail` fails and `hang` waits. */
const shouting: Script = (response, received) => {
  const [message] = received.body['messages'] as readonly { readonly content: string }[];
  const asked = message?.content ?? '';
  if (asked === 'fail') {
    const error = { message: 'no such knot', type: 'invalid_request_error', param: 'prompt' };
    json(400, { error })(response, received);
    return;
  }
  const words = asked.toUpperCase().split(/(?= )/);
  const usage = statement(5, words.length);
  const chunks = [...chunksOf(...words).map(eventOf)];
  if (received.body['stream'] !== true) {
    json(200, completionOf(words.join(''), usage))(response, received);
  } else if (asked === 'hang') {
    sse(chunks.slice(0, 2), 'hang')(response, received);
  } else {
    sse([...chunks, eventOf(usageChunkOf(usage)), DONE])(response, received);
  }
};

const asking = (prompt: OpenAI.CompletionCreateParams['prompt'], more: object = {}) => ({
  model: MODEL,
  prompt,
  ...more,
});

describe('legacy completions for the official client', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([shouting]);
  });

  afterAll(() => world.close());

  const moneyOf = async (response: Response) => {
    const events = eventsOf(await world.events(), response.headers.get('x-request-id'));
    return events.map(({ type, data }) => ({ type, data }));
  };

  it('answers a prompt with the hold, the charge and the headers of one chat', async () => {
    const before = world.upstream.received.length;
    const { data, response } = await world.openai.completions
      .create(asking('tie a knot', { seed: 7, stop: ['.'], temperature: 0 }))
      .withResponse();
    expect(data).toMatchObject({
      id: `cmpl-${response.headers.get('x-request-id')}`,
      object: 'text_completion',
      model: MODEL,
      choices: [{ index: 0, text: 'TIE A KNOT', logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 3 },
    });
    expect(world.upstream.received[before]?.body).toEqual({
      model: 'scripted-1',
      messages: [{ role: 'user', content: 'tie a knot' }],
      seed: 7,
      stop: ['.'],
      temperature: 0,
      max_tokens: 16,
      stream: false,
    });
    // 5 tokens at 1 micro-dollar and 3 at 2.
    expect(response.headers.get('x-quipu-cost-usd')).toBe('0.000011');
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '11', outcome: 'completed' } },
    ]);
  });

  it('answers several prompts in their order, with one hold and one charge', async () => {
    const { data, response } = await world.openai.completions
      .create(asking(['one', 'two knots'], { echo: true }))
      .withResponse();
    expect(data.choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'oneONE'],
      [1, 'two knotsTWO KNOTS'],
    ]);
    expect(data.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3 });
    expect(response.headers.get('x-quipu-attempts')).toBe('2');
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '16' } },
    ]);
  });

  it('charges nothing when a later prompt is refused, and passes the error on', async () => {
    const refused = world.openai.completions.create(asking(['one', 'fail']));
    const error = await refused.catch((caught: unknown) => caught);
    if (!(error instanceof OpenAI.BadRequestError)) throw new Error('it was not refused');
    expect(error).toMatchObject({ status: 400, param: 'prompt' });
    const id = error.headers.get('x-request-id');
    const written = eventsOf(await world.events(), id).map(({ type }) => type);
    expect(written).toEqual(['HoldPlaced', 'HoldReleased']);
  });

  it('streams the texts that it answers as a whole, and the usage that was asked for', async () => {
    const { data, response } = await world.openai.completions
      .create({
        ...asking(['one', 'two knots'], { echo: true }),
        stream: true,
        stream_options: { include_usage: true },
      })
      .withResponse();
    const chunks = await Array.fromAsync(data);
    const texts = ['', ''];
    for (const { choices } of chunks) {
      for (const { index, text } of choices) texts[index] = `${texts[index] ?? ''}${text}`;
    }
    expect(texts).toEqual(['oneONE', 'two knotsTWO KNOTS']);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
    });
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '16', outcome: 'completed' } },
    ]);
  });

  it('breaks a stream whose second prompt is refused, and charges the first', async () => {
    const { data, response } = await world.openai.completions
      .create({ ...asking(['one', 'fail']), stream: true })
      .withResponse();
    await expect(Array.fromAsync(data)).rejects.toThrow('no such knot');
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { amountMicroUsd: '7', outcome: 'upstream_failed' } },
    ]);
  });

  it('charges a caller that leaves for the prompts that were sent', async () => {
    const { data, response } = await world.openai.completions
      .create({ ...asking(['one', 'hang']), stream: true })
      .withResponse();
    let text = '';
    for await (const { choices } of data) {
      text += choices[0]?.text ?? '';
      if (text === 'ONEHANG') break;
    }
    await eventually(async () => (await moneyOf(response)).length === 2);
    expect(await moneyOf(response)).toMatchObject([
      { type: 'HoldPlaced' },
      { type: 'HoldCaptured', data: { outcome: 'client_gone', usageSource: 'counted' } },
    ]);
  });

  it.each([
    ['suffix', asking('a', { suffix: 'b' })],
    ['best_of', asking('a', { best_of: 3 })],
    ['echo', asking('a', { echo: true, logprobs: 1 })],
    ['tools', asking('a', { tools: [] })],
    ['prompt', asking([1, 2, 3])],
    ['prompt', asking([[1, 2, 3]])],
    ['prompt', asking([])],
    ['prompt', asking(Array.from({ length: 33 }, () => 'a'))],
    ['temperature', asking('a', { temperature: 3 })],
  ])('refuses %s by name, before anything is held', async (param, body) => {
    const placed = (await world.events()).length;
    const refused = world.openai.completions.create(body as OpenAI.CompletionCreateParams);
    await expect(refused).rejects.toMatchObject({ status: 400, param });
    expect(await world.events()).toHaveLength(placed);
  });

  it('answers a retry with the same key again, uncharged', async () => {
    const options = { idempotencyKey: 'knots-1', headers: { 'idempotency-key': 'knots-1' } };
    const first = await world.openai.completions.create(asking('again'), options).withResponse();
    const asked = world.upstream.received.length;
    const second = await world.openai.completions.create(asking('again'), options).withResponse();
    expect(second.data).toEqual(first.data);
    expect(world.upstream.received).toHaveLength(asked);
  });

  it('refuses several prompts to a strategy, which would answer one', async () => {
    const body = asking(['a', 'b'], { routing_mode: 'snn_spiking' });
    const refused = world.openai.completions.create(body as OpenAI.CompletionCreateParams);
    await expect(refused).rejects.toMatchObject({ status: 501, param: 'routing_mode' });
  });
});
