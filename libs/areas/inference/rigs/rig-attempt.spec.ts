import { describe, expect, it } from '@jest/globals';
import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { type ChatBackend } from './chat-backend.js';
import { failureOf, rigFor } from './openai-rig.fixture.js';
import { type RigAttempt, type RigModelCost } from './rig-attempt.js';
import { createHttpRig } from './http-rig.js';
import { type Credential } from './dialects/dialect.js';
import { openAiDialect } from './dialects/openai/openai.dialect.js';
import { createRigRouter } from './rig-router.js';
import {
  chunksOf,
  completionOf,
  DONE,
  eventOf,
  json,
  never,
  requestOf,
  type Script,
  sse,
  startUpstream,
  statement,
  usageChunkOf,
} from './upstream.fake.js';

const PRICE: TokenPrice = {
  inputMicroUsdPerMtok: '250000',
  outputMicroUsdPerMtok: '1000001',
  classes: { cache_read_tokens: '25000' },
  tiers: [{ aboveInputTokens: 1_000, mode: 'whole', prices: { input_tokens: '500000' } }],
};
const IN_USAGE: RigModelCost['field'] = {
  path: ['usage', 'cost'],
  picoPerUnit: 1_000_000_000_000n,
};

const observing = (backend: ChatBackend, cost?: RigModelCost, attemptsMax = 3) => {
  const attempts: RigAttempt[] = [];
  const router = createRigRouter({
    rigs: [
      {
        name: 'rack',
        backend,
        maxConcurrency: 2,
        models: new Set(['acme/m']),
        ...(cost && { costs: new Map([['acme/m', cost]]) }),
      },
    ],
    clock: { now: () => 5_000 },
    sleep: () => Promise.resolve(),
    random: () => 0,
    attemptsMax,
    onAttempt: (attempt) => attempts.push(attempt),
  });
  const order = {
    model: 'acme/m',
    account: '7',
    needs: [],
    request: () => requestOf({ model: 'm' }),
  };
  return { router, order, attempts };
};

const observed = async (script: Script | readonly Script[], cost?: RigModelCost) => {
  const { rig, upstream } = await rigFor(script);
  return { ...observing(rig, cost), upstream };
};

describe('an attempt at a rig', () => {
  it('has the price of its tokens as its cost, to the pico-dollar', async () => {
    const usage = { ...statement(12, 3), prompt_tokens_details: { cached_tokens: 10 } };
    const script = json(200, completionOf('Hi', usage));
    const { router, order, attempts } = await observed(script, { price: PRICE, field: null });
    await router.complete(order, never);
    expect(attempts).toMatchObject([
      {
        account: '7',
        holdId: null,
        model: 'acme/m',
        sent: 'm',
        rig: 'rack',
        outcome: 'answered',
        startedAtMs: 5_000,
        endedAtMs: 5_000,
        usage: { promptTokens: 12, completionTokens: 3, source: 'provider' },
        // 2 fresh at 0.25, 10 cached at 0.025, 3 of output at 1.000001 USD for a million.
        cost: { basis: 'computed', picoUsd: 500_000n + 250_000n + 3_000_003n },
      },
    ]);
  });

  it('has the price of the tier that its input reaches', async () => {
    const script = json(200, completionOf('Hi', statement(2_000, 0)));
    const { router, order, attempts } = await observed(script, { price: PRICE, field: null });
    await router.complete(order, never);
    expect(attempts).toMatchObject([{ cost: { picoUsd: 1_000_000_000n } }]);
  });

  it('has the cost that the rig states, which the answer no longer has', async () => {
    const usage = {
      ...statement(12, 3),
      cost: 0.000777123,
      cost_details: { a: 1 },
      is_byok: false,
    };
    const { router, order, attempts } = await observed(json(200, completionOf('Hi', usage)), {
      price: PRICE,
      field: IN_USAGE,
    });
    const { answer } = await router.complete(order, never);
    expect(attempts).toMatchObject([{ cost: { basis: 'stated', picoUsd: 777_123_000n } }]);
    expect(answer.completion['usage']).toEqual(statement(12, 3));
  });

  it('never shows the cost of a known provider, whether its field is read or not', async () => {
    const usage = { ...statement(12, 3), cost_in_usd_ticks: 49_100_000 };
    const { router, order, attempts } = await observed(json(200, completionOf('Hi', usage)));
    const { answer } = await router.complete(order, never);
    expect(JSON.stringify(answer.completion)).not.toContain('ticks');
    expect(attempts).toMatchObject([{ cost: null }]);
  });

  it('reads a cost outside of the usage', async () => {
    const { router, order, attempts } = await observed(
      json(200, { ...completionOf('Hi', statement(1, 1)), billing: { ticks: 5, id: 'x' } }),
      { price: null, field: { path: ['billing', 'ticks'], picoPerUnit: 100n } },
    );
    const { answer } = await router.complete(order, never);
    expect(attempts).toMatchObject([{ cost: { basis: 'stated', picoUsd: 500n } }]);
    expect(answer.completion['billing']).toEqual({ id: 'x' });
  });

  it('is computed where the stated cost is no amount', async () => {
    const usage = { ...statement(4, 0), cost: 'much' };
    const { router, order, attempts } = await observed(json(200, completionOf('Hi', usage)), {
      price: PRICE,
      field: IN_USAGE,
    });
    await router.complete(order, never);
    expect(attempts).toMatchObject([{ cost: { basis: 'computed', picoUsd: 1_000_000n } }]);
  });

  it('is observed when it fails and another one follows', async () => {
    const failed = json(500, { error: { message: 'oh' }, usage: statement(8, 0) });
    const { router, order, attempts } = await observed(
      [failed, json(429, {}), json(200, completionOf('Hi', statement(4, 0)))],
      { price: PRICE, field: null },
    );
    await router.complete(order, never);
    expect(attempts).toMatchObject([
      { outcome: 'failed', usage: { promptTokens: 8 }, cost: { picoUsd: 2_000_000n } },
      { outcome: 'overloaded', usage: null, cost: null },
      { outcome: 'answered', cost: { picoUsd: 1_000_000n } },
    ]);
  });

  it('is not observed where no rig was reached', async () => {
    const { rig, upstream } = await rigFor(json(200, {}));
    await upstream.close();
    const { router, order, attempts } = observing(rig, { price: PRICE, field: null }, 1);
    await expect(router.complete(order, never)).rejects.toMatchObject({ kind: 'failed' });
    expect(attempts).toEqual([]);
  });

  it('is observed where the connection broke after the request', async () => {
    const { router, order, attempts } = await observed([
      (response) => response.destroy(),
      json(200, completionOf('Hi', statement(4, 0))),
    ]);
    await router.complete(order, never);
    expect(attempts).toMatchObject([{ outcome: 'unreachable', cost: null }, {}]);
  });
});

describe('an attempt for a session', () => {
  it('asks with the key that answered the session before', async () => {
    const upstream = await startUpstream(
      json(429, {}, { 'retry-after': '1' }),
      json(200, completionOf('Hi', statement(2_000, 4))),
    );
    const used: string[] = [];
    const credentials = ['first', 'second'].map((key): Credential => ({
      headersFor: () => {
        used.push(key);
        return { authorization: key };
      },
    }));
    const time = { nowMs: 5_000 };
    const rig = createHttpRig({
      name: 'rack',
      baseUrl: upstream.baseUrl,
      dialect: openAiDialect(),
      maxConcurrency: 2,
      credentials,
      clock: { now: () => time.nowMs },
    });
    const { router, order } = observing(rig);
    await router.complete({ ...order, session: 's' }, never);
    time.nowMs += 2_000;
    await router.complete({ ...order, session: 's' }, never);
    await router.complete({ ...order, session: 't' }, never);
    expect(used).toEqual(['first', 'second', 'second', 'first']);
    await router.close();
    await upstream.close();
  });
});

describe('an attempt to stream', () => {
  const events = [...chunksOf('A', ' knot').map(eventOf)];
  const usage = { ...statement(4, 2), cost: 0.5 };
  const cost = { price: PRICE, field: IN_USAGE };

  it('is observed once, when the stream has ended', async () => {
    const script = sse([...events, eventOf(usageChunkOf(usage)), DONE]);
    const { router, order, attempts } = await observed(script, cost);
    const request = () =>
      requestOf({ model: 'm', stream: true, stream_options: { include_usage: true } });
    const { pages } = await router.stream({ ...order, request }, never);
    const chunks = (await Array.fromAsync(pages)).flat();
    expect(chunks.at(-1)?.['usage']).toEqual(statement(4, 2));
    expect(attempts).toMatchObject([
      { outcome: 'answered', cost: { basis: 'stated', picoUsd: 500_000_000_000n } },
    ]);
  });

  it('is observed when the stream breaks', async () => {
    const { router, order, attempts } = await observed(sse(events.slice(0, 2)), cost);
    const { pages } = await router.stream(order, never);
    await failureOf(Array.fromAsync(pages));
    expect(attempts).toMatchObject([
      { outcome: 'broken-off', usage: { source: 'counted' }, cost: { basis: 'computed' } },
    ]);
  });

  it('has an unknown cost when it is returned before its end', async () => {
    const { router, order, attempts } = await observed(sse(events.slice(0, 2)), cost);
    const { pages } = await router.stream(order, never);
    await pages[Symbol.asyncDispose]();
    expect(attempts).toMatchObject([{ outcome: 'cancelled', usage: null, cost: null }]);
  });

  it('is cancelled, with its usage, when its signal fires', async () => {
    const { router, order, attempts } = await observed(sse(events.slice(0, 2), 'hang'), {
      price: PRICE,
      field: null,
    });
    const leaving = new AbortController();
    const { pages } = await router.stream(order, leaving.signal);
    await pages.next();
    leaving.abort();
    await Array.fromAsync(pages);
    expect(attempts).toMatchObject([{ outcome: 'cancelled', cost: { basis: 'computed' } }]);
  });
});
