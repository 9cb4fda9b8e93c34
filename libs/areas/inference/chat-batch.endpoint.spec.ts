import { describe, expect, it } from '@jest/globals';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { type DomainError } from '#platform/kernel/domain-error.js';
import { NOW, question, REQUEST_ID } from '#platform/chats/chat-order.fixture.js';
import { ChatBatchEndpoint } from './chat-batch.endpoint.js';
import { NO_GUARDS } from '#platform/chats/chat-guards.fake.js';
import { completionOf, llama, openInference, usage } from './inference-world.fixture.js';
import { RigChatCalls } from './rig-chat-calls.js';
import { RouteError } from './rigs/route-error.js';
import { promptTokensBound } from './token-bound.js';

const never = new AbortController().signal;
const nowMs = Date.parse(NOW);

const open = () => {
  const inference = openInference();
  const endpoint = new ChatBatchEndpoint(
    new RigChatCalls(inference.catalog, inference.rigs, inference.modes, NO_GUARDS),
  );
  const run = (body: object, signal = never) =>
    endpoint.run({ requestId: REQUEST_ID, accountId: '7', pricedAtMs: nowMs, body }, signal);
  return { ...inference, endpoint, run };
};

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof RejectedRequestError) return `${error.failure.param} ${error.message}`;
    return (error as DomainError).code;
  }
  throw new Error('accepted');
};

describe('a chat as a line of a batch', () => {
  it('has the worst case of an interactive one, at the batch price', () => {
    const { endpoint } = open();
    const { model, bound } = endpoint.accept(question);
    const inputTokens = promptTokensBound(question, llama);
    expect({ model, bound }).toEqual({
      model: llama.id,
      bound: { input_tokens: inputTokens, output_tokens: 100 },
    });
    const price = endpoint.price(model, nowMs);
    expect(price).toMatchObject({ rateCardVersion: 3, discountPercent: 50 });
    expect(price?.linesOf(bound, {})).toMatchObject([
      { quantity: inputTokens, unitPriceMicroUsd: '7500000', perUnits: 100_000_000 },
      { quantity: 100, unitPriceMicroUsd: '30000000', perUnits: 100_000_000 },
    ]);
    expect(endpoint.price('acme/none', nowMs)).toBeUndefined();
    expect(endpoint.price('acme/unpriced', nowMs)).toBeUndefined();
  });

  it.each([
    ['no object', [], ' the body must be a JSON object'],
    [
      'a bad field',
      { temperature: 3 },
      'temperature temperature: expected a number of at most 2, received 3',
    ],
    ['a stream', { stream: true }, 'stream stream: a line of a batch cannot be streamed'],
    [
      'a clean room',
      { cleanroom_uuid: REQUEST_ID },
      'cleanroom_uuid: expected a routing_mode of clean rooms',
    ],
    ['another engine', { routing_mode: 'cleanroom_fhe_eval' }, 'routing_mode_unavailable'],
    ['an unknown mode', { routing_mode: 'fastest' }, 'routing_mode routing_mode: expected one of'],
    ['an unknown model', { model: 'acme/none' }, 'model_not_found'],
    ['too long an answer', { max_tokens: 9_000 }, 'context_length_exceeded'],
  ])('is rejected as it would be alone: %s', (_, changes, code) => {
    const { endpoint } = open();
    const body = Array.isArray(changes) ? changes : { ...question, ...changes };
    expect(codeOf(() => endpoint.accept(body))).toContain(code.trimStart());
  });

  it('is answered by the rigs behind interactive requests, without a hold', async () => {
    const { rigs, ledger, run } = open();
    const answer = { completion: completionOf('Cords.'), usage: usage(20, 30) };
    rigs.completion = () => Promise.resolve(answer);
    expect(await run({ ...question, routing_mode: 'rig_7' })).toEqual({
      body: { ...completionOf('Cords.'), model: llama.id, routing_mode: 'rig_7' },
      used: [
        { meter: 'input_tokens', quantity: 20, rig: 'local-vllm' },
        { meter: 'output_tokens', quantity: 30, rig: 'local-vllm' },
      ],
    });
    expect(rigs.asked).toMatchObject([{ model: llama.id, pin: '7', priority: 'batch' }]);
    expect(rigs.body).toMatchObject({ model: llama.upstreamId, max_tokens: 100 });
    expect(ledger.calls).toEqual([]);
  });

  it('names the doubts about the stated usage', async () => {
    const { rigs, run } = open();
    const stated = { ...usage(20, 30), doubts: ['bad_count' as const] };
    rigs.completion = () => Promise.resolve({ completion: completionOf('Cords.'), usage: stated });
    expect(await run(question)).toMatchObject({ usageDoubts: ['bad_count'] });
  });

  it('is never charged above its bound', async () => {
    const { rigs, endpoint, run } = open();
    const answer = { completion: completionOf('Cords.'), usage: usage(9_999, 9_999) };
    rigs.completion = () => Promise.resolve(answer);
    const { used } = await run(question);
    const units = used.map(({ meter, quantity }) => [meter, quantity]);
    expect(Object.fromEntries(units)).toEqual(endpoint.accept(question).bound);
  });

  it.each([
    ['down', 'always'],
    ['overloaded', 'always'],
    ['failed', 'limited'],
    ['refused', 'never'],
    ['model-not-served', 'never'],
    ['cancelled', 'never'],
  ] as const)('runs again after a failure that may pass: %s', (kind, retry) => {
    expect(open().endpoint.retryOf(new RouteError(kind, 'no', []))).toBe(retry);
    expect(open().endpoint.retryOf(new TypeError('a defect'))).toBe('never');
  });
});
