import { describe, expect, it } from '@jest/globals';
import { llama, orderOf } from '#areas/inference/inference-world.fixture.js';
import { type SpikingChatOrder, type SpikingChats } from '#areas/spiking/spiking-chats.js';
import { card, run } from '#areas/spiking/spiking-world.fixture.js';
import { SpikingChatStrategies } from './spiking-chats.binding.js';

const entry = { eventId: 'e', chargedMicroUsd: 4n, availableMicroUsd: 5n };
const never = new AbortController().signal;

const open = () => {
  const asked: SpikingChatOrder[] = [];
  const chats = {
    serves: (model: string, mode: string) => mode.startsWith('hybrid_') || model === card.slug,
    slugs: [card.slug],
    answer: (order: SpikingChatOrder) => {
      asked.push(order);
      const answer = { card, run: run(), entry };
      return Promise.resolve({ answer, text: 'A knot.', promptBytes: 7, textBytes: 7 });
    },
  } as unknown as SpikingChats;
  const catalog = { model: (id: string) => (id === llama.id ? llama : undefined) };
  return { asked, catalog, strategies: new SpikingChatStrategies(catalog, chats) };
};

const chat = (body: object = {}, mode = 'hybrid_cnn') => orderOf({ timesteps: 3, ...body }, mode);

describe('chats of spiking networks', () => {
  it.each([
    [llama.id, 'auto', false],
    [llama.id, 'rig_one', false],
    [llama.id, 'hybrid_cnn', true],
    [card.slug, 'auto', true],
    ['acme/none', 'auto', false],
  ])('are those of a network or of its mode: %s, %s', (model, mode, isServed) => {
    const { strategies, catalog } = open();
    expect(strategies.of(chat({ model }, mode)) === strategies).toBe(isServed);
    const without = new SpikingChatStrategies(catalog, undefined);
    expect(without.of(chat({ model }, mode))).toBeUndefined();
  });

  it('answer in the shape of OpenAI, and name the network', async () => {
    const { strategies, asked } = open();
    const { text, usage, rig, attempts } = await strategies.complete(chat(), never);
    expect(JSON.parse(text)).toMatchObject({
      object: 'chat.completion',
      created: 1_795_237_200,
      model: card.slug,
      routing_mode: 'hybrid_cnn',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'A knot.' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 7, total_tokens: 14 },
    });
    expect({ usage, rig, attempts }).toMatchObject({ usage: { source: 'counted' }, rig: null });
    expect(asked).toMatchObject([{ prompt: 'What is a quipu?', timesteps: 3 }]);
  });

  it('stream the same text, then the receipt', async () => {
    const { strategies } = open();
    const body = { stream_options: { include_usage: true } };
    const { pages } = await strategies.stream(chat(body), never);
    const chunks: unknown[] = [];
    let next = await pages.next();
    for (; !next.done; next = await pages.next()) {
      chunks.push(...next.value.map((text) => JSON.parse(text) as unknown));
    }
    expect(chunks).toMatchObject([
      { object: 'chat.completion.chunk', choices: [{ delta: { role: 'assistant' } }] },
      { choices: [{ delta: { content: 'A knot.' }, finish_reason: null }] },
      { choices: [{ finish_reason: 'stop' }] },
      { choices: [], usage: { total_tokens: 14 } },
    ]);
    expect(next.value).toMatchObject({ entry, cut: null });
  });

  it('read the text of the last message, in parts too', async () => {
    const { strategies, asked } = open();
    const parts = [
      { type: 'text', text: 'A ' },
      { type: 'text', text: 'cord.' },
    ];
    const messages = [
      { role: 'system', content: 'x' },
      { role: 'user', content: parts },
    ];
    await strategies.complete(chat({ messages }), never);
    expect(asked).toMatchObject([{ prompt: 'A cord.' }]);
  });

  it.each([
    [{ model: 'acme/none' }, 'model_not_found'],
    [{ n: 2 }, 'snn_input_invalid'],
    [{ tools: [{}] }, 'snn_input_invalid'],
    [{ stop: 'x' }, 'snn_input_invalid'],
    [{ response_format: { type: 'json_object' } }, 'snn_input_invalid'],
    [{ messages: [{ role: 'user', content: '' }] }, 'snn_input_invalid'],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 'snn_input_invalid'],
  ])('reject what a network cannot honour: %p', async (body, code) => {
    const { strategies, asked } = open();
    await expect(strategies.complete(chat(body), never)).rejects.toMatchObject({ code });
    expect(asked).toEqual([]);
  });

  it('accept what asks for nothing', async () => {
    const { strategies, asked } = open();
    const body = { n: 1, tools: [], stop: null, response_format: { type: 'text' }, temperature: 1 };
    await strategies.complete(chat(body), never);
    expect(asked).toHaveLength(1);
  });
});
