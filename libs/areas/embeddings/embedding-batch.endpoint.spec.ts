import { describe, expect, it } from '@jest/globals';
import { NO_GUARDS, WordGuards } from '#platform/chats/chat-guards.fake.js';
import { type ChatGuards } from '#platform/chats/chat-guards.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EmbeddingBatchEndpoint } from './embedding-batch.endpoint.js';
import { EmbeddingTool, embeddingTool } from './embedding.tool.js';
import { answerTo, NOW, OneModel, RigsError, ScriptedRigs } from './embeddings-world.fixture.js';

const never = new AbortController().signal;
const LINE = { model: 'small', input: ['a', 'b'], encoding_format: 'base64' };
const FAILURE = { reason: 'upstream_failed', isCancelled: false, used: null } as const;

const open = (guards: ChatGuards = NO_GUARDS) => {
  const rigs = new ScriptedRigs();
  rigs.answer = () => Promise.resolve(answerTo(2, 5));
  const models = new OneModel();
  return {
    rigs,
    endpoint: new EmbeddingBatchEndpoint(models, rigs, guards),
    tool: new EmbeddingTool(models, rigs, guards),
  };
};

describe('embeddings as a line of a batch', () => {
  it('are bound like the inputs of a request, and cost less', () => {
    const { endpoint } = open();
    expect(endpoint.accept(LINE)).toEqual({ model: 'small', bound: { input_tokens: 10 } });
    expect(endpoint.price('none', NOW)).toBeUndefined();
    const price = endpoint.price('small', NOW);
    expect(price).toMatchObject({ rateCardVersion: 3, discountPercent: 50 });
    // 0.5 micro-dollars a token.
    expect(price?.linesOf({ input_tokens: 10 }, {})).toEqual([
      {
        meter: 'input_tokens',
        quantity: 10,
        unitPriceMicroUsd: '50000000',
        perUnits: 100_000_000,
      },
    ]);
  });

  it('are answered in the shape of a request, behind interactive ones', async () => {
    const { endpoint, rigs } = open();
    const { requestId } = contextOf('01996f4e-0000-7000-8000-000000000001', 'user:7');
    const line = { requestId, accountId: '7', pricedAtMs: NOW, body: LINE };
    expect(await endpoint.run(line, never)).toEqual({
      body: {
        object: 'list',
        data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: 'AACAPwAAAAA=' })),
        model: 'small',
        usage: { prompt_tokens: 5, total_tokens: 5 },
      },
      used: [{ meter: 'input_tokens', quantity: 5, rig: 'built-in' }],
    });
    expect(rigs.asked).toMatchObject([{ priority: 'batch', accountId: '7' }]);
    rigs.answer = () => Promise.resolve(answerTo(2, 50));
    expect(await endpoint.run(line, never)).toMatchObject({ used: [{ quantity: 10 }] });
  });

  it.each([
    [{ ...LINE, input: '' }, { failure: expect.objectContaining({ status: 400, param: 'input' }) }],
    ['text', { failure: expect.objectContaining({ status: 400 }) }],
    [{ ...LINE, model: 'none' }, { code: 'embedding_model_not_found' }],
  ])('are refused: %j', (body, error) => {
    const { endpoint } = open();
    expect(() => endpoint.accept(body)).toThrow(expect.objectContaining(error));
  });

  it('are refused with a field of the operator', () => {
    const { endpoint, rigs } = open();
    rigs.rejection = new Error('priority');
    expect(() => endpoint.accept(LINE)).toThrow('priority');
  });

  it('are sent as the rules of the operator leave them', async () => {
    const guards = new WordGuards('knots');
    const { endpoint, tool, rigs } = open(guards);
    const { requestId } = contextOf('01996f4e-0000-7000-8000-000000000001', 'user:7');
    const body = { model: 'small', input: ['of knots', 'b'] };
    await endpoint.run({ requestId, accountId: '7', pricedAtMs: NOW, body }, never);
    const call = { id: 'c', accountId: '7', actor: 'user:7', requestId: 'r' };
    await tool.run(body, { ...call, pricedAtMs: NOW, signal: never });
    const input = ['of [redacted]', 'b'];
    expect(rigs.asked).toMatchObject([{ body: { input } }, { body: { input } }]);
    const work = { accountId: '7', model: 'small', requestId: null };
    expect(guards.works).toEqual([work, work]);
  });

  it('are run again where a rule could not be asked', () => {
    const failed = new DomainError('guard_failed', 'the rule dlp could not read this request');
    expect(open().endpoint.retryOf(failed)).toBe('limited');
  });

  it.each(['never', 'limited', 'always'] as const)('may be run again: %s', (retry) => {
    expect(open().endpoint.retryOf(new RigsError({ ...FAILURE, retry }))).toBe(retry);
  });

  it('are not run again after a defect', () => {
    expect(open().endpoint.retryOf(new TypeError('a defect'))).toBe('never');
  });
});

describe('embeddings as a tool', () => {
  const call = {
    id: 'c',
    accountId: '7',
    actor: 'user:7',
    requestId: 'r',
    pricedAtMs: NOW,
    signal: never,
  };

  it('are estimated in the worst case, and used up to it', async () => {
    const { tool } = open();
    const input = { model: 'small', input: ['a', 'b'] };
    expect(await tool.estimate(input, call)).toMatchObject({
      lines: [{ meter: 'input_tokens', quantity: 10 }],
      rateCardVersion: 3,
    });
    const outcome = await tool.run(input, call);
    expect(outcome).toEqual({
      output: {
        embeddings: [
          [1, 0],
          [1, 0],
        ],
        dimensions: 2,
      },
      used: [{ meter: 'input_tokens', quantity: 5, rig: 'built-in' }],
      counters: { prompt_tokens: 5, vectors: 2 },
    });
    expect(embeddingTool.output.safeParse(outcome.output).success).toBe(true);
  });

  it('take 32 texts, and a model that is in the catalog', async () => {
    const input = Array<string>(33).fill('a');
    expect(embeddingTool.input.safeParse({ model: 'small', input }).success).toBe(false);
    expect(embeddingTool.input.safeParse({ model: 'small', input: input.slice(1) }).success).toBe(
      true,
    );
    const { tool } = open();
    await expect(tool.estimate({ model: 'none', input: 'a' }, call)).rejects.toMatchObject({
      code: 'embedding_model_not_found',
    });
  });
});
