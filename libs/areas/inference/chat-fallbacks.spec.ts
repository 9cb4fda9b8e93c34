import { describe, expect, it } from '@jest/globals';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { priceOf } from '#platform/ledger/price.js';
import {
  completionOf,
  delta,
  llama,
  openInference,
  rate,
  usage,
} from './inference-world.fixture.js';
import { RigError } from './rigs/chat-backend.js';
import { RouteError, type RouteErrorKind } from './rigs/route-error.js';

const small = { ...llama, fallbacks: ['acme/long', 'acme/dear'] };
const long = {
  ...llama,
  id: 'acme/long',
  upstreamId: 'long',
  contextTokens: 100_000,
  maxOutputTokens: 8_192,
};
const dear = { ...llama, id: 'acme/dear', upstreamId: 'dear' };
const prices = (input: string, output: string) => ({
  ...rate,
  inputMicroUsdPerMtok: input,
  outputMicroUsdPerMtok: output,
});

const routeError = (kind: RouteErrorKind, upstreamError = {}): RouteError => {
  const rigError = new RigError('refused', 'no', { status: 400, upstreamError });
  const attempts = [{ rig: 'up', startedMs: 0, endedMs: 1, outcome: 'refused' } as const];
  return new RouteError(kind, 'no', attempts, { rigError });
};

/** Three models; the rigs of the models in `broken` throw. */
const opened = (broken: Readonly<Record<string, RouteError>> = {}) => {
  const inference = openInference({
    models: [
      [small, prices('150000', '600000')],
      [long, prices('300000', '300000')],
      [dear, prices('900000', '900000')],
    ],
  });
  const { rigs } = inference;
  const fault = () => broken[rigs.asked.at(-1)?.model ?? ''];
  rigs.completion = () => {
    const error = fault();
    return error
      ? Promise.reject(error)
      : Promise.resolve({ completion: completionOf('Hi'), usage: usage(20, 30) });
  };
  const complete = async (body: Partial<ChatOrder['body']> = {}) => {
    const reply = await inference.complete(orderOf(body));
    return { reply, answer: JSON.parse(reply.text) as { readonly model: string } };
  };
  return { ...inference, complete };
};

describe('the fallbacks of a model', () => {
  it.each([
    ['down', routeError('down'), 'down'],
    ['overloaded', routeError('queue-full'), 'overloaded'],
    ['failed', routeError('failed'), 'failed'],
    [
      'too small, in the words of OpenAI',
      routeError('refused', { code: 'context_length_exceeded' }),
      'context_too_long',
    ],
    [
      'too small, in the words of Anthropic',
      routeError('refused', { message: 'prompt is too long: 200001 tokens > 200000 maximum' }),
      'context_too_long',
    ],
  ])('answer where it is %s, under their own names and prices', async (_, error, reason) => {
    const { complete, ledger, rigs } = opened({ [small.id]: error });
    const { answer } = await complete();
    expect(answer.model).toBe('acme/long');
    expect(rigs.asked.map(({ model }) => model)).toEqual([small.id, long.id]);
    expect(rigs.asked[1]?.request().body).toMatchObject({ model: 'long' });
    const { captured, placed } = ledger;
    expect(captured).toMatchObject({
      model: small.id,
      lines: [
        { meter: 'input_tokens', quantity: 20, unitPriceMicroUsd: '300000', model: 'acme/long' },
        { meter: 'output_tokens', quantity: 30, unitPriceMicroUsd: '300000', model: 'acme/long' },
      ],
      evidence: {
        models: { asked: small.id, sent: 'long' },
        fallback: { model: 'acme/long', passed: [{ model: small.id, reason }] },
      },
    });
    expect(priceOf(captured.lines)).toBeLessThanOrEqual(priceOf(placed.lines));
  });

  it('are held for: the most tokens, at the dearest price of one of them', async () => {
    const { complete, ledger } = opened();
    await complete({ max_tokens: null });
    expect(ledger.placed.lines).toMatchObject([
      { meter: 'input_tokens', unitPriceMicroUsd: '900000', model: 'acme/dear' },
      { meter: 'output_tokens', quantity: 8_192, unitPriceMicroUsd: '900000', model: 'acme/dear' },
    ]);
    expect(ledger.captured).toMatchObject({
      lines: [
        { quantity: 20, unitPriceMicroUsd: '150000', heldAs: 'input_tokens' },
        { quantity: 30, unitPriceMicroUsd: '600000', heldAs: 'output_tokens' },
      ],
    });
    expect(ledger.captured.evidence).not.toHaveProperty('fallback');
  });

  it('answer a request whose limit is above the context of the model, unasked', async () => {
    const { complete, rigs } = opened();
    const { answer } = await complete({ max_tokens: 50_000 });
    expect([answer.model, rigs.asked.map(({ model }) => model)]).toEqual([long.id, [long.id]]);
  });

  it('are asked in turn, and the last error is the answer', async () => {
    const broken = routeError('failed');
    const { complete, ledger } = opened({
      [small.id]: routeError('down'),
      [long.id]: routeError('down'),
      [dear.id]: broken,
    });
    await expect(complete()).rejects.toBe(broken);
    expect(ledger.captures).toEqual([]);
    expect(ledger.ends).toEqual(['release upstream_failed']);
  });

  it('are not asked for a request that is at fault itself', async () => {
    const { complete, rigs } = opened({ [small.id]: routeError('refused', { code: 'bad' }) });
    await expect(complete()).rejects.toMatchObject({ kind: 'refused' });
    expect(rigs.asked).toHaveLength(1);
  });

  it('stream under their own names', async () => {
    const { stream, rigs, ledger } = opened();
    const script = async function* () {
      await Promise.resolve();
      yield [delta('Hi')];
      return usage(20, 1);
    };
    rigs.script = routeError('down');
    Object.defineProperty(rigs, 'script', {
      get: () => (rigs.asked.length === 1 ? routeError('down') : script),
    });
    const { pages } = await stream(orderOf());
    const lines: string[] = [];
    for (let page = await pages.next(); !page.done; page = await pages.next()) {
      lines.push(...page.value);
    }
    expect(lines.map((line) => (JSON.parse(line) as { model: string }).model)).toEqual([long.id]);
    expect(ledger.captured.evidence).toMatchObject({ fallback: { model: long.id } });
  });
});

describe('the models of a request', () => {
  it('replace the fallbacks of the catalog, and never reach a rig', async () => {
    const { complete, rigs } = opened({ [small.id]: routeError('down') });
    const { answer } = await complete({ models: ['acme/dear'], provider: { sort: 'price' } });
    expect(answer.model).toBe('acme/dear');
    const { body } = rigs.asked[1]?.request() ?? {};
    expect(body).not.toHaveProperty('models');
    expect(body).not.toHaveProperty('provider');
  });

  it('are passed where they are dearer than the caller allows', async () => {
    const { complete, ledger } = opened();
    const { answer } = await complete({ provider: { max_price: { completion: '0.5' } } });
    expect(answer.model).toBe('acme/long');
    expect(ledger.captured.evidence).toMatchObject({
      fallback: {
        passed: [
          { model: small.id, reason: 'price_above_max' },
          { model: dear.id, reason: 'price_above_max' },
        ],
      },
    });
  });

  it.each<[string, Partial<ChatOrder['body']>, string]>([
    ['an unknown model', { models: ['acme/none'] }, 'models[0]'],
    [
      'a price below all',
      { provider: { max_price: { prompt: 0.1 } } },
      'provider.max_price.prompt',
    ],
    ['an unknown field', { provider: { region: 'eu' } }, 'provider.region'],
    ['an unknown sort', { provider: { sort: 'beauty' } }, 'provider.sort'],
    ['models beside an adapter', { models: ['acme/long'], adapter: 'pirate' }, 'models'],
  ])('are refused by name: %s', async (_, body, param) => {
    const { complete, ledger } = opened();
    await expect(complete(body)).rejects.toMatchObject({ failure: { status: 400, param } });
    expect(ledger.orders).toEqual([]);
  });
});
