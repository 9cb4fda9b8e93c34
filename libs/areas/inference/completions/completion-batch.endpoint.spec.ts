import { describe, expect, it } from '@jest/globals';
import { rejectedFieldOf } from '#platform/batches/rejected-field.fixture.js';
import { NOW, REQUEST_ID } from '#platform/chats/chat-order.fixture.js';
import { NO_GUARDS } from '#platform/chats/chat-guards.fake.js';
import { completionOf, llama, openInference, usage } from '../inference-world.fixture.js';
import { RigChatCalls } from '../rig-chat-calls.js';
import { CompletionBatchEndpoint } from './completion-batch.endpoint.js';

const never = new AbortController().signal;
const AT = Date.parse(NOW);

const open = () => {
  const inference = openInference();
  const chats = new RigChatCalls(inference.catalog, inference.rigs, inference.modes, NO_GUARDS);
  const endpoint = new CompletionBatchEndpoint(chats, { now: () => AT });
  const run = (body: object) =>
    endpoint.run({ requestId: REQUEST_ID, accountId: '7', pricedAtMs: AT, body }, never);
  return { ...inference, endpoint, run };
};

describe('a legacy completion as a line of a batch', () => {
  const line = { model: llama.id, prompt: ['a', 'b'], max_tokens: 5, echo: true };

  it('is answered by a rig for each prompt, behind interactive ones, without a hold', async () => {
    const { rigs, ledger, endpoint, run } = open();
    rigs.completion = () => Promise.resolve({ completion: completionOf('!'), usage: usage(2, 3) });
    expect(await run(line)).toEqual({
      body: {
        id: `cmpl-${REQUEST_ID}`,
        object: 'text_completion',
        created: AT / 1e3,
        model: llama.id,
        routing_mode: 'auto',
        choices: [
          expect.objectContaining({ index: 0, text: 'a!' }),
          expect.objectContaining({ index: 1, text: 'b!' }),
        ],
        usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 },
      },
      used: [
        { meter: 'input_tokens', quantity: 4, rig: 'local-vllm' },
        { meter: 'output_tokens', quantity: 6, rig: 'local-vllm' },
      ],
    });
    expect(rigs.asked).toMatchObject([{ priority: 'batch' }, { priority: 'batch' }]);
    expect(rigs.body).toMatchObject({ messages: [{ role: 'user', content: 'a' }], max_tokens: 5 });
    expect(ledger.calls).toEqual([]);
    const one = endpoint.accept({ ...line, prompt: 'a' });
    expect(endpoint.accept(line)).toEqual({
      model: llama.id,
      terms: { hasMedia: false, isTiered: false },
      bound: {
        input_tokens: 2 * (one.bound['input_tokens'] ?? 0),
        output_tokens: 10,
      },
    });
    expect(endpoint.price(llama.id, AT)).toMatchObject({ discountPercent: 50 });
  });

  it.each([
    ['prompt', { prompt: [] }],
    ['suffix', { suffix: 'a' }],
    ['stream', { stream: true }],
    ['temperature', { temperature: 3 }],
  ])('is refused as it would be alone: %s', (param, more) => {
    expect(rejectedFieldOf(open().endpoint, { ...line, ...more })).toBe(param);
  });
});
