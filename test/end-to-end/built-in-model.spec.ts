import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '#areas/inference/rigs/upstream.fake.js';
import path from 'node:path';
import { startWorld, type World } from './quipu.harness.js';

const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');

const catalogOf = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models:
  - { id: quipu/nano, upstream_id: nano, owned_by: quipu, rigs: [built-in], context: 1024,
      max_output: 64, file: ${NANO}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

describe('the built-in model', () => {
  let world: World;
  const ask = (body: object) =>
    world.openai.chat.completions.create({
      model: 'quipu/nano',
      messages: [{ role: 'user', content: 'What is Quipu?' }],
      temperature: 0,
      ...body,
    });

  beforeAll(async () => {
    world = await startWorld([json(500, {})], { catalogOf });
  });

  afterAll(() => world.close());

  it('answers about Quipu in a sentence, metered by its own tokenizer', async () => {
    const answer = await ask({});
    const text = answer.choices[0]?.message.content ?? '';
    expect(text).toMatch(/Quipu/);
    expect(text).toMatch(/[.!?]$/);
    expect(answer.usage?.completion_tokens).toBeGreaterThan(3);
    const last = (await world.events()).at(-1);
    expect(last).toMatchObject({
      type: 'HoldCaptured',
      data: {
        rig: 'built-in',
        usageSource: 'provider',
        lines: [
          { meter: 'input_tokens', quantity: answer.usage?.prompt_tokens },
          { meter: 'output_tokens', quantity: answer.usage?.completion_tokens },
        ],
      },
    });
  });

  it('stops at a stop string', async () => {
    const cut = await ask({ max_tokens: 3 });
    expect(cut.choices[0]?.finish_reason).toBe('length');
    expect(cut.usage?.completion_tokens).toBe(3);
    const whole = (await ask({})).choices[0]?.message.content ?? '';
    const [first = ''] = whole.split(' ').slice(2);
    const stopped = await ask({ stop: [first] });
    expect(stopped.choices[0]?.message.content).toBe(whole.slice(0, whole.indexOf(first)));
  });

  it('gives the same answer with the same seed', async () => {
    const drawn = () => ask({ temperature: 1, seed: 11, max_tokens: 20 });
    const [one, two] = [await drawn(), await drawn()];
    expect(one.choices[0]?.message.content).toBe(two.choices[0]?.message.content);
  });

  it('rejects unsupported parameters by name', async () => {
    await expect(ask({ logprobs: true })).rejects.toMatchObject({ status: 400, param: 'logprobs' });
    await expect(
      ask({ tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }),
    ).rejects.toMatchObject({ status: 400, param: 'tools' });
  });

  it('streams the same answer', async () => {
    const whole = (await ask({})).choices[0]?.message.content;
    const stream = await world.openai.chat.completions.create({
      model: 'quipu/nano',
      messages: [{ role: 'user', content: 'What is Quipu?' }],
      temperature: 0,
      stream: true,
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(whole);
  });
});
