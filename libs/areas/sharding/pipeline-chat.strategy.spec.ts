import { describe, expect, it } from '@jest/globals';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type PipelineOrder } from './pipeline-order.js';
import { type PipelineReceipt, type PipelineRuns } from './pipeline-runs.js';
import { endOf } from './sharding-world.fixture.js';
import { PipelineChatStrategy } from './pipeline-chat.strategy.js';

const never = new AbortController().signal;
const entry = { eventId: 'e', chargedMicroUsd: 4n, availableMicroUsd: 5n };
const used = { promptTokens: 9, completionTokens: 2 };
const finished: PipelineReceipt = { used, end: endOf(), entry, cut: null };

const chat = (body: object = {}, mode = 'sharded_pipeline') => orderOf(body, mode);

const open = (receipt = finished) => {
  const asked: PipelineOrder[] = [];
  let isDisposed = false;
  const runs: Pick<PipelineRuns, 'start'> = {
    start: (order) => {
      asked.push(order);
      const texts = (async function* () {
        try {
          yield await Promise.resolve('A ');
          yield 'knot.';
          return receipt;
        } finally {
          isDisposed = true;
        }
      })();
      return Promise.resolve({ texts });
    },
  };
  const strategy = new PipelineChatStrategy(runs);
  return { strategy, asked, isDisposed: () => isDisposed };
};

describe('chats of sharded pipelines', () => {
  it('answer in the shape of OpenAI', async () => {
    const { strategy, asked } = open();
    const body = { temperature: 0.2, top_p: 0.5, seed: 4, stop: 'x', max_completion_tokens: 7 };
    const { text, usage, rig, entry: charged } = await strategy.complete(chat(body), never);
    expect(JSON.parse(text)).toMatchObject({
      object: 'chat.completion',
      model: 'acme/llama-70b',
      routing_mode: 'sharded_pipeline',
      choices: [{ index: 0, message: { content: 'A knot.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    });
    expect([usage, rig, charged]).toEqual([{ ...used, source: 'counted' }, null, entry]);
    expect(asked).toMatchObject([
      {
        model: 'acme/llama-70b',
        transport: 'websocket',
        maxTokens: 7,
        temperature: 0.2,
        topP: 0.5,
        seed: 4,
        stop: ['x'],
      },
    ]);
  });

  it('stream a chunk for each text, then the usage where it is wanted', async () => {
    const { strategy } = open();
    const body = { stream_options: { include_usage: true } };
    const { pages } = await strategy.stream(chat(body), never);
    const chunks: unknown[] = [];
    let next = await pages.next();
    for (; !next.done; next = await pages.next()) {
      chunks.push(...next.value.map((text) => JSON.parse(text) as unknown));
    }
    expect(chunks).toMatchObject([
      { choices: [{ delta: { role: 'assistant', content: '' } }], usage: null },
      { choices: [{ delta: { content: 'A ' }, finish_reason: null }] },
      { choices: [{ delta: { content: 'knot.' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { total_tokens: 11 } },
    ]);
    expect(next.value).toMatchObject({ entry, cut: null });
  });

  it('end without a finish when they are cut, and with their reader', async () => {
    const cut = new RequestCutError('timed_out');
    const { strategy } = open({ used, end: null, entry, cut });
    await expect(strategy.complete(chat(), never)).rejects.toBe(cut);
    const { pages } = await strategy.stream(chat(), never);
    let last = await pages.next();
    const seen: string[] = [];
    for (; !last.done; last = await pages.next()) seen.push(...last.value);
    expect(last.value.cut).toBe(cut);
    expect(seen.join()).not.toContain('"stop"');
    const left = open();
    const { pages: unread } = await left.strategy.stream(chat(), never);
    await unread.next();
    await unread.next();
    await unread[Symbol.asyncDispose]();
    expect(left.isDisposed()).toBe(true);
  });

  it('read text in parts, and a developer as a system', async () => {
    const { strategy, asked } = open();
    const parts = [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'cord.' },
    ];
    const messages = [
      { role: 'developer', content: 'Be short.' },
      { role: 'user', content: parts },
    ];
    await strategy.complete(chat({ messages }), never);
    expect(asked[0]?.messages).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'A\ncord.' },
    ]);
  });

  it.each([
    [{ n: 2 }, `'n'`],
    [{ logprobs: true }, `'logprobs'`],
    [{ response_format: { type: 'json_object' } }, `'response_format'`],
    [{ unheard_of: 1 }, `'unheard_of'`],
    [{ messages: [{ role: 'tool', content: 'x' }] }, `'messages[0].role'`],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, `'messages[0].content'`],
    [{ messages: [{ role: 'assistant', content: null, tool_calls: [{}] }] }, 'tool_calls'],
  ])('refuse what they cannot honour, by name: %p', async (body, named) => {
    const { strategy, asked } = open();
    await expect(strategy.complete(chat(body), never)).rejects.toMatchObject({
      code: 'pipeline_field_unsupported',
      message: expect.stringContaining(named),
    });
    expect(asked).toEqual([]);
  });
});
