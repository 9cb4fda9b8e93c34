import { describe, expect, it } from '@jest/globals';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { ConsensusChatStrategy } from './consensus/consensus-chat.strategy.js';
import { SpeculativeChatStrategy } from './speculative/speculative-chat.strategy.js';
import { startWorld } from './swarm-world.fixture.js';

const never = new AbortController().signal;

const open = () => {
  const world = startWorld({
    ask: () => Promise.resolve('A cord.'),
    texts: async function* () {
      yield await Promise.resolve('A ');
      yield 'knot.';
    },
  });
  const consensus = new ConsensusChatStrategy(world.consensus);
  const speculative = new SpeculativeChatStrategy(world.speculative);
  return { ...world, consensus, speculative };
};

const asked = { max_tokens: 10, seed: 7 };
const speculativeChat = (body: object = {}) =>
  orderOf({ ...asked, model: 'target', ...body }, 'vllm_speculative');
const consensusChat = (body: object = {}) =>
  orderOf({ ...asked, model: 'alpha', ...body }, 'moa_consensus');

describe('chats that models answer together', () => {
  it('answer in the shape of OpenAI, with the telemetry of speculation', async () => {
    const { speculative, ledger } = open();
    const { text, usage, headers } = await speculative.complete(speculativeChat(), never);
    expect(JSON.parse(text)).toMatchObject({
      object: 'chat.completion',
      model: 'target',
      routing_mode: 'vllm_speculative',
      choices: [{ index: 0, message: { content: 'A knot.' }, finish_reason: 'stop' }],
      usage: { completion_tokens: 2 },
      speculative_telemetry: { draft_tokens_generated: 5, tokens_accepted: 1 },
    });
    expect(usage).toMatchObject({ completionTokens: 2 });
    expect(headers).toBeUndefined();
    expect(ledger.ends).toEqual(['capture completed']);
  });

  it('have the cost of each step of a consensus in a header', async () => {
    const { consensus } = open();
    const { text, headers, attempts } = await consensus.complete(consensusChat(), never);
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ message: { content: 'A knot.' } }],
      moa_telemetry: { synthesis_model: 'alpha' },
    });
    expect(headers).toEqual({ 'x-quipu-cost-tree': expect.stringContaining('alpha') });
    expect(attempts).toEqual([{ startedMs: 0, endedMs: 0 }]);
  });

  it('have the telemetry in the last chunk of a stream', async () => {
    const { consensus } = open();
    const body = { stream_options: { include_usage: true } };
    const { pages } = await consensus.stream(consensusChat(body), never);
    const chunks: unknown[] = [];
    let next = await pages.next();
    for (; !next.done; next = await pages.next()) {
      chunks.push(...next.value.map((chunk) => JSON.parse(chunk) as unknown));
    }
    expect(chunks).toMatchObject([
      { choices: [{ delta: { role: 'assistant', content: '' } }], usage: null },
      { choices: [{ delta: { content: 'A ' } }] },
      { choices: [{ delta: { content: 'knot.' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }], moa_telemetry: {} },
      { choices: [], usage: {} },
    ]);
    expect(next.value).toMatchObject({ cut: null });
  });

  it('end the hold of a stream that is not read to its end', async () => {
    const { speculative, ledger } = open();
    const { pages } = await speculative.stream(speculativeChat(), never);
    await pages.next();
    await pages.next();
    await pages[Symbol.asyncDispose]();
    expect(ledger.ends).toEqual(['release client_gone']);
  });

  it('refuse a field that they cannot honour before a hold', async () => {
    const { speculative, ledger } = open();
    const answering = speculative.complete(speculativeChat({ n: 2 }), never);
    await expect(answering).rejects.toMatchObject({ code: 'swarm_field_unsupported' });
    expect(ledger.calls).toEqual([]);
  });
});
