import { describe, expect, it } from '@jest/globals';
import { type ToolCall } from '#platform/tools/tool.js';
import { NOW, REQUEST_ID } from '#platform/chats/chat-order.fixture.js';
import { ChatTool, chatTool } from './chat.tool.js';
import { NO_GUARDS } from '#platform/chats/chat-guards.fake.js';
import { completionOf, llama, openInference, usage } from './inference-world.fixture.js';
import { RigError } from './rigs/chat-backend.js';
import { RouteError } from './rigs/route-error.js';

const call: ToolCall = {
  id: REQUEST_ID,
  accountId: '7',
  actor: 'user:7',
  requestId: REQUEST_ID,
  pricedAtMs: Date.parse(NOW),
  signal: new AbortController().signal,
};
const input = (more: object) => chatTool.input.parse({ model: llama.id, ...more });

const open = () => {
  const inference = openInference();
  return {
    ...inference,
    tool: new ChatTool(inference.catalog, inference.rigs, inference.modes, NO_GUARDS),
  };
};

describe('the tool chat', () => {
  it('has the worst case of an interactive chat, at the prices of the instant', async () => {
    const { tool } = open();
    const { lines, rateCardVersion } = await tool.estimate(
      input({ prompt: 'What is a quipu?', max_tokens: 40 }),
      call,
    );
    expect(rateCardVersion).toBe(3);
    expect(lines).toMatchObject([
      { meter: 'input_tokens', perUnits: 1_000_000 },
      { meter: 'output_tokens', quantity: 40, perUnits: 1_000_000 },
    ]);
  });

  it('asks a rig and says what was used, without a hold', async () => {
    const { tool, rigs, ledger } = open();
    rigs.completion = () =>
      Promise.resolve({ completion: completionOf('Cords.'), usage: usage(20, 30) });
    const asked = input({ system: 'Be short.', prompt: 'What is a quipu?', seed: 1 });
    expect(await tool.run(asked, call)).toMatchObject({
      output: { text: 'Cords.', finish_reason: 'stop' },
      used: [
        { meter: 'input_tokens', quantity: 20, rig: 'local-vllm' },
        { meter: 'output_tokens', quantity: 30, rig: 'local-vllm' },
      ],
      counters: { prompt_tokens: 20, completion_tokens: 30 },
    });
    expect(rigs.asked).toHaveLength(1);
    expect(rigs.asked[0]?.request().body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'What is a quipu?' },
      ],
      seed: 1,
      max_tokens: 512,
    });
    expect(ledger.calls).toEqual([]);
  });

  it('names the doubts about the stated usage', async () => {
    const { tool, rigs } = open();
    const stated = { ...usage(20, 30), doubts: ['bad_count' as const] };
    rigs.completion = () => Promise.resolve({ completion: completionOf('Cords.'), usage: stated });
    const outcome = await tool.run(input({ prompt: 'a' }), call);
    expect(outcome).toMatchObject({ usageDoubts: ['bad_count'] });
  });

  it.each([
    [true, { details: { used: [{ quantity: 20 }, { quantity: 3, rig: 'local-vllm' }] } }],
    [false, { kind: 'cancelled' }],
  ])('says what an aborted call has used, where that is charged: %s', async (isCharged, thrown) => {
    const { tool, rigs, catalog } = open();
    catalog.model = () => ({ ...llama, chargesCancelled: isCharged });
    const rigError = new RigError('cancelled', 'the caller left', { used: usage(20, 3) });
    const attempt = { rig: 'local-vllm', startedMs: 0, endedMs: 1, outcome: 'cancelled' } as const;
    rigs.completion = () =>
      Promise.reject(new RouteError('cancelled', 'the caller left', [attempt], { rigError }));
    await expect(tool.run(input({ prompt: 'a' }), call)).rejects.toMatchObject(thrown);
  });

  it.each([
    ['no prompt', {}, 'give either prompt or messages'],
    ['both', { prompt: 'a', messages: [{ role: 'user', content: 'b' }] }, 'give either'],
    ['a lost instruction', { system: 's', messages: [{ role: 'user', content: 'b' }] }, 'messages'],
    ['a stream', { prompt: 'a', stream: true }, 'stream'],
  ])('takes no input with %s', (_, more, message) => {
    expect(() => input(more)).toThrow(message);
  });

  it.each([
    ['unknown model', { model: 'acme/none' }, 'model_not_found'],
    ['model without a price', { model: 'acme/unpriced' }, 'model_not_found'],
    ['unknown routing mode', { routing_mode: 'fastest' }, 'invalid_request'],
    ['too long an answer', { max_tokens: 9_000 }, 'context_length_exceeded'],
  ])('rejects a call before any work: %s', async (_, more, code) => {
    const { tool } = open();
    const asked = input({ prompt: 'a', ...more });
    await expect(tool.estimate(asked, call)).rejects.toMatchObject({ code });
  });
});
