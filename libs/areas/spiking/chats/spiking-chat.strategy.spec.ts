import { type CommandBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { energyReport } from '../energy-report.js';
import { type InferSpikesCommand } from '../infer-spikes.handler.js';
import { countsOf } from '../run-counts.js';
import { type SpikingModels } from '../spiking-models.js';
import { card, run, WEIGHTS } from '../spiking-world.fixture.js';
import { statementOf } from '../statement.js';
import { SpikingChatStrategy } from './spiking-chat.strategy.js';

const entry = { eventId: 'e', chargedMicroUsd: 4n, availableMicroUsd: 5n };
const never = new AbortController().signal;
const answer = { card, run: run(), energy: energyReport(countsOf(run()), 480), entry };
const TEXT = statementOf(answer);
const BYTES = Buffer.byteLength(TEXT);

const open = () => {
  const runs: InferSpikesCommand[] = [];
  const execute = (command: InferSpikesCommand) => {
    runs.push(command);
    return Promise.resolve(answer);
  };
  const networks = { list: [card] } as unknown as SpikingModels;
  return {
    runs,
    strategy: new SpikingChatStrategy(networks, { execute } as unknown as CommandBus),
  };
};

const chat = (body: object = {}, mode = 'hybrid_cnn') => orderOf({ timesteps: 3, ...body }, mode);

describe('chats of spiking networks', () => {
  it('name the networks as models of their own', () => {
    expect(open().strategy.models).toEqual([card.slug]);
  });

  it.each([
    [card.slug, card.slug],
    ['acme/llama-70b', null],
  ])('are the fields of a network, or of its mode: %s', async (model, asked) => {
    const { strategy, runs } = open();
    await strategy.complete(chat({ model }), never);
    expect(runs).toMatchObject([{ order: { model: asked, routingMode: 'hybrid_cnn' } }]);
  });

  it('answer in the shape of OpenAI, and name the network', async () => {
    const { strategy, runs } = open();
    const { text, usage, rig, attempts } = await strategy.complete(chat(), never);
    expect(JSON.parse(text)).toMatchObject({
      object: 'chat.completion',
      created: 1_795_237_200,
      model: card.slug,
      routing_mode: 'hybrid_cnn',
      choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      system_fingerprint: `spiking@${WEIGHTS.slice(0, 16)}`,
      usage: { prompt_tokens: 16, completion_tokens: BYTES, total_tokens: 16 + BYTES },
    });
    expect({ usage, rig, attempts }).toMatchObject({ usage: { source: 'counted' }, rig: null });
    expect(runs).toMatchObject([{ order: { input: 'What is a quipu?', timesteps: 3 } }]);
  });

  it('stream the same text, then the receipt', async () => {
    const { strategy } = open();
    const body = { stream_options: { include_usage: true } };
    const { pages } = await strategy.stream(chat(body), never);
    const chunks: unknown[] = [];
    let next = await pages.next();
    for (; !next.done; next = await pages.next()) {
      chunks.push(...next.value.map((text) => JSON.parse(text) as unknown));
    }
    expect(chunks).toMatchObject([
      { object: 'chat.completion.chunk', choices: [{ delta: { role: 'assistant' } }] },
      { choices: [{ delta: { content: TEXT }, finish_reason: null }] },
      { choices: [{ finish_reason: 'stop' }] },
      { choices: [], usage: { total_tokens: 16 + BYTES } },
    ]);
    expect(next.value).toMatchObject({ entry, cut: null });
  });

  it('read the text of the last message, in parts too', async () => {
    const { strategy, runs } = open();
    const parts = [
      { type: 'text', text: 'A ' },
      { type: 'text', text: 'cord.' },
    ];
    const messages = [
      { role: 'system', content: 'x' },
      { role: 'user', content: parts },
    ];
    await strategy.complete(chat({ messages }), never);
    expect(runs).toMatchObject([{ order: { input: 'A cord.' } }]);
  });

  it.each([
    [{ n: 2 }, 'snn_input_invalid'],
    [{ tools: [{}] }, 'snn_input_invalid'],
    [{ stop: 'x' }, 'snn_input_invalid'],
    [{ response_format: { type: 'json_object' } }, 'snn_input_invalid'],
    [{ messages: [{ role: 'user', content: '' }] }, 'snn_input_invalid'],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 'snn_input_invalid'],
  ])('reject what a network cannot honour: %p', async (body, code) => {
    const { strategy, runs } = open();
    await expect(strategy.complete(chat(body), never)).rejects.toMatchObject({ code });
    expect(runs).toEqual([]);
  });

  it('accept what asks for nothing', async () => {
    const { strategy, runs } = open();
    const body = { n: 1, tools: [], stop: null, response_format: { type: 'text' }, temperature: 1 };
    await strategy.complete(chat(body), never);
    expect(runs).toHaveLength(1);
  });
});
