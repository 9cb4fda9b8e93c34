import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { ANSWER, errorOf, failing, held, scripted, settle } from '../rig-router.fixture.js';
import { type ChatBackend } from '../chat-backend.js';
import { type RigPreference } from './rig-preference.js';
import { type RouteOrder } from '../rig-candidates.js';
import { createRigRouter } from '../rig-router.js';
import { type Rig, type RigModelTerms } from '../rig-state.js';
import { never, requestOf } from '../upstream.fake.js';

type Given = Partial<Rig> & { readonly backend?: ChatBackend; readonly weight?: number };

const priceOf = (input: number, output: number, cached?: number): TokenPrice => ({
  inputMicroUsdPerMtok: String(input),
  outputMicroUsdPerMtok: String(output),
  ...(cached !== undefined && { classes: { cache_read_tokens: String(cached) } }),
});

/** A rig that costs so much for its model. */
const costing = (...prices: Parameters<typeof priceOf>): Given => ({
  costs: new Map([['llama', { price: priceOf(...prices), field: null }]]),
});

const termsOf = (own: Partial<RigModelTerms>): ReadonlyMap<string, RigModelTerms> =>
  new Map([['llama', { upstreamId: 'llama', sendsDefaults: true, ...own }]]);

const ANY: RigPreference = {
  order: [],
  only: null,
  ignore: [],
  sort: null,
  quantizations: null,
  deniesCollection: false,
  allowsFallbacks: true,
};

const answering = (promptTokens = 1, completionTokens = 1): ChatBackend => {
  const usage = { promptTokens, completionTokens, source: 'provider' } as const;
  return scripted({ ...ANSWER, usage }).backend;
};

const choosing = (
  rigs: Readonly<Record<string, Given>>,
  {
    random = () => 0.5,
    time = { nowMs: 1_000 },
  }: { random?: () => number; time?: { nowMs: number } } = {},
) => {
  const router = createRigRouter({
    rigs: Object.entries(rigs).map(([name, { weight, backend = answering(), ...rig }]) => ({
      name,
      backend,
      maxConcurrency: 10,
      models: new Set(['llama']),
      ...(weight !== undefined && { terms: termsOf({ weight }) }),
      ...rig,
    })),
    clock: { now: () => time.nowMs },
    sleep: () => Promise.resolve(),
    random,
  });
  const order = { model: 'llama', needs: [], request: () => requestOf({ model: 'llama' }) };
  const ask = (more: Partial<RouteOrder> = {}) => router.complete({ ...order, ...more }, never);
  const rigOf = async (more: Partial<RouteOrder> = {}) => (await ask(more)).rig;
  const preferring = (preference: Partial<RigPreference>) => ({
    preference: { ...ANY, ...preference },
  });
  return { ask, rigOf, preferring, time, router, order };
};

/** Pseudo-random numbers, always the same. */
const seeded = (): (() => number) => {
  let state = 42n;
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return Number(state >> 33n) / 2 ** 31;
  };
};

describe('the weight of a rig', () => {
  it('is its share of the draws among equals', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 4 }),
        fc.boolean(),
        async (weights, hasRemote) => {
          const [first, ...others] = weights.map((weight, n) => [`r${n}`, { weight }] as const);
          // A rig that is worse than the others is between them, and is never drawn.
          const far = ['far', { weight: 9, isRemote: true }] as const;
          const rigs = [...(first ? [first] : []), ...(hasRemote ? [far] : []), ...others];
          const { rigOf } = choosing(Object.fromEntries(rigs), { random: seeded() });
          const counts = new Map<string, number>();
          for (let n = 0; n < 600; n += 1) {
            const rig = await rigOf();
            counts.set(rig, (counts.get(rig) ?? 0) + 1);
          }
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          for (const [n, weight] of weights.entries()) {
            const share = (counts.get(`r${n}`) ?? 0) / 600;
            expect(Math.abs(share - weight / total)).toBeLessThan(0.09);
          }
          expect(counts.has('far')).toBe(false);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('divides the requests that are in flight', async () => {
    const [busy, alsoBusy] = [held(), held()];
    const { rigOf } = choosing({
      big: { weight: 3, backend: scripted(busy.move, alsoBusy.move, ANSWER).backend },
      small: { weight: 1, backend: answering() },
    });
    const running = [rigOf({ pin: 'big' }), rigOf({ pin: 'big' })];
    await settle();
    const [third, fourth] = [rigOf({ pin: 'small' }), rigOf()];
    expect(await fourth).toBe('big');
    busy.letGo();
    alsoBusy.letGo();
    await Promise.all([...running, third]);
  });
});

describe('the price of a rig', () => {
  it('decides among rigs that are equal otherwise, and its weight is a load', async () => {
    const busy = held();
    const { rigOf } = choosing({
      dear: costing(1_000, 4_000),
      cheap: { ...costing(500, 2_000), backend: scripted(busy.move).backend },
    });
    const running = [rigOf(), rigOf(), rigOf()];
    await settle();
    // Half the price is a quarter of a full rig: three of ten requests are more.
    expect(await rigOf()).toBe('dear');
    busy.letGo();
    expect(await Promise.all(running)).toEqual(['cheap', 'cheap', 'cheap']);
  });

  it('is the dearest where it is not known', async () => {
    const { ask } = choosing({
      unknown: {},
      known: costing(500, 2_000),
      dear: costing(1_000, 4_000),
    });
    expect(await ask()).toMatchObject({
      rig: 'known',
      score: 0.25,
      lost: [
        { rig: 'unknown', reason: 'dearer', score: 0.5 },
        { rig: 'dear', reason: 'dearer', score: 0.5 },
      ],
    });
  });
});

describe('a session', () => {
  const long = () => ({ backend: answering(100_000, 100) });

  it('prefers the rig that answered it, for ten minutes', async () => {
    const draws = [0.9, 0.1, 0.1, 0.1];
    const { rigOf, time } = choosing(
      { a: long(), b: long() },
      { random: () => draws.shift() ?? 0.9 },
    );
    const first = await rigOf({ session: 's' });
    expect([await rigOf({ session: 's' }), await rigOf({ session: 's' })]).toEqual([first, first]);
    time.nowMs += 600_000;
    draws.unshift(first === 'a' ? 0.1 : 0.9);
    expect(await rigOf({ session: 's' })).not.toBe(first);
  });

  it.each([
    ['of another account', { account: '8' }],
    ['of another name', { session: 't' }],
  ])('does not warm one %s', async (_, other) => {
    const draws = [0.9, 0.1];
    const { rigOf } = choosing({ a: long(), b: long() }, { random: () => draws.shift() ?? 0.5 });
    const first = await rigOf({ session: 's', account: '7' });
    expect(await rigOf({ session: 's', account: '7', ...other })).not.toBe(first);
  });

  it('leaves a warm rig that is busier than the cache would save', async () => {
    const busy = held();
    const warm = {
      ...ANSWER,
      usage: { promptTokens: 10_000, completionTokens: 2_500, source: 'provider' },
    };
    const moves = Array.from({ length: 8 }, () => busy.move);
    const { rigOf, ask } = choosing({
      // A cached token costs half: 10,000 x 0.5 of 20,000 are a quarter.
      a: {
        ...costing(1_000, 4_000, 500),
        backend: scripted(warm as never, ...moves, ANSWER).backend,
      },
      b: costing(1_000, 4_000, 500),
    });
    await rigOf({ session: 's', pin: 'a' });
    const running = [rigOf({ pin: 'a' }), rigOf({ pin: 'a' })];
    await settle();
    running.push(rigOf({ session: 's' }));
    await settle();
    expect(await ask({ session: 's' })).toMatchObject({
      rig: 'b',
      lost: [{ rig: 'a', reason: 'busier' }],
    });
    busy.letGo();
    expect(await Promise.all(running)).toEqual(['a', 'a', 'a']);
  });

  it.each([
    ['of a prompt that no provider caches', answering(1_023, 10), priceOf(1_000, 4_000, 100)],
    ['at a price that cached tokens do not lower', answering(100_000, 10), priceOf(1_000, 4_000)],
  ])('has no warm rig %s', async (_, backend, price) => {
    const costs = new Map([['llama', { price, field: null }]]);
    const draws = [0.9, 0.1];
    const rig = { backend, costs };
    const { rigOf } = choosing({ a: rig, b: rig }, { random: () => draws.shift() ?? 0.5 });
    expect(await rigOf({ session: 's' })).not.toBe(await rigOf({ session: 's' }));
  });
});

describe('the preferences of a caller', () => {
  const rigs = {
    turbo: { provider: 'acme', terms: termsOf({ quantization: 'fp8' }), collectsData: false },
    exact: { provider: 'acme', terms: termsOf({ quantization: 'bf16' }) },
    other: {},
  };

  it.each<[string, Partial<RigPreference>, string]>([
    ['an order of rigs', { order: ['other', 'turbo'] }, 'other'],
    ['an order of providers', { order: ['ACME/bf16'] }, 'exact'],
    ['only some', { only: ['other'] }, 'other'],
    ['all but some', { ignore: ['acme'] }, 'other'],
    ['quantizations', { quantizations: ['bf16'] }, 'exact'],
    ['an unknown quantization', { quantizations: ['unknown'] }, 'other'],
    ['no collection of data', { deniesCollection: true }, 'turbo'],
  ])('are %s', async (_, preference, rig) => {
    const { rigOf, preferring } = choosing(rigs);
    expect(await rigOf(preferring(preference))).toBe(rig);
  });

  it('go on to the next rig of the order, and then to the others', async () => {
    const failed = { backend: scripted(failing('timed-out')).backend };
    const { ask, preferring } = choosing({ a: {}, b: failed, c: failed });
    const { rig, attempts, lost } = await ask(preferring({ order: ['c', 'b'] }));
    expect(attempts.map((attempt) => attempt.rig)).toEqual(['c', 'b', 'a']);
    expect(rig).toBe('a');
    expect(lost).toEqual([
      { rig: 'c', reason: 'failed' },
      { rig: 'b', reason: 'failed' },
    ]);
  });

  it.each<[string, Partial<RigPreference>]>([
    ['with an order, to its rigs', { order: ['b'], allowsFallbacks: false }],
    ['without one, to the first choice', { sort: 'price', allowsFallbacks: false }],
  ])('keep the request, %s', async (_, preference) => {
    const broken = scripted(failing('timed-out'));
    const { ask, preferring } = choosing({
      a: costing(2, 2),
      b: { ...costing(1, 1), backend: broken.backend },
    });
    const error = await errorOf(ask(preferring(preference)));
    expect(error.attempts.map(({ rig }) => rig)).toEqual(['b']);
  });

  it('sort by price, whatever the load is', async () => {
    const busy = held();
    const moves = Array.from({ length: 9 }, () => busy.move);
    const { rigOf, preferring, ask } = choosing({
      dear: costing(1_001, 1_001),
      cheap: { ...costing(1_000, 1_000), backend: scripted(...moves, ANSWER).backend },
    });
    const running = moves.map(() => rigOf({ pin: 'cheap' }));
    await settle();
    expect(await ask(preferring({ sort: 'price' }))).toMatchObject({
      rig: 'cheap',
      lost: [{ rig: 'dear', reason: 'less_preferred' }],
    });
    busy.letGo();
    await Promise.all(running);
  });

  it('sort by the measured speed and by the measured time to the first token', async () => {
    const time = { nowMs: 1_000 };
    const streaming = (ms: number, completionTokens: number): ChatBackend => ({
      ...answering(),
      async *stream() {
        await Promise.resolve();
        time.nowMs += ms;
        yield [{ choices: [] }];
        time.nowMs += 100;
        return { promptTokens: 1, completionTokens, source: 'provider' };
      },
    });
    const { rigOf, preferring, order, router } = choosing(
      { soon: { backend: streaming(100, 10) }, fast: { backend: streaming(300, 90) } },
      { time },
    );
    for (const pin of ['soon', 'fast']) {
      const { pages } = await router.stream({ ...order, pin }, never);
      for (let page = await pages.next(); !page.done;) page = await pages.next();
    }
    expect(await rigOf(preferring({ sort: 'latency' }))).toBe('soon');
    expect(await rigOf(preferring({ sort: 'throughput' }))).toBe('fast');
  });

  it.each<[Partial<RigPreference>, string, string]>([
    [
      { order: ['turbo', 'acne'] },
      'provider.order[1]',
      'provider.order[1]: expected a rig or a provider, such as acme, turbo, exact, other, ' +
        'received acne',
    ],
    [
      { only: ['other'], quantizations: ['fp8'] },
      'provider.quantizations',
      'provider.quantizations: expected rigs of the model llama, found none',
    ],
  ])('are refused by name: %j', async (preference, param, message) => {
    const { ask, preferring, router } = choosing(rigs);
    const error = await errorOf(ask(preferring(preference)));
    expect(error).toMatchObject({
      kind: 'refused',
      message,
      details: { rigError: { details: { status: 400, upstreamError: { param } } } },
    });
    const target = { model: 'llama', ...preferring(preference) };
    expect(() => router.check(target, {})).toThrow(message);
  });
});

describe('the dialect of a caller', () => {
  it('decides among equals only', async () => {
    const claude = { speaksChat: false, features: new Set(['messages'] as const) };
    const { rigOf, ask } = choosing({ claude, gpt: {} });
    expect(await rigOf({ dialect: 'messages' })).toBe('claude');
    expect(await ask({ dialect: 'chat' })).toMatchObject({
      rig: 'gpt',
      lost: [{ rig: 'claude', reason: 'translated' }],
    });
  });
});

describe('a rig with limits of its own', () => {
  it('is left alone after as many failures as it allows', async () => {
    const broken = scripted(failing('failed', { status: 500 }));
    const { ask } = choosing({ a: { backend: broken.backend, breaker: { failuresToOpen: 1 } } });
    expect(await errorOf(ask())).toMatchObject({ kind: 'failed' });
    expect(await errorOf(ask())).toMatchObject({ kind: 'down' });
    expect(broken.asked).toHaveLength(1);
  });

  it('is asked as often as it allows, and others as often as the router does', async () => {
    const [once, often] = [scripted(failing('unreachable')), scripted(failing('unreachable'))];
    const { ask, order } = choosing({
      once: { backend: once.backend, retries: { attemptsMax: 1 } },
      often: { backend: often.backend, retries: { attemptsMax: 4 } },
    });
    await errorOf(ask({ ...order }));
    expect([once.asked.length, often.asked.length]).toEqual([1, 3]);
  });
});
