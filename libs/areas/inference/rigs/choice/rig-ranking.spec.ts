import { describe, expect, it } from '@jest/globals';
import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { ANSWER, failing, held, routerOf, scripted } from '../rig-router.fixture.js';
import { createRigRouter } from '../rig-router.js';

const price = (microUsd: number): TokenPrice => ({
  inputMicroUsdPerMtok: String(microUsd),
  outputMicroUsdPerMtok: String(microUsd),
});

describe('the ranking of the rigs of a model', () => {
  it('has the parts of each score, the best rig first', () => {
    const router = createRigRouter({
      rigs: [200, 100].map((microUsd) => ({
        name: `costs-${microUsd}`,
        backend: scripted(ANSWER).backend,
        maxConcurrency: 2,
        models: new Set(['llama']),
        costs: new Map([['llama', { price: price(microUsd), field: null }]]),
      })),
      clock: { now: () => 1_000 },
      sleep: () => Promise.resolve(),
      random: () => 0.5,
    });
    const parts = { load: 0, firstToken: 0, errors: 0, breaker: 0, region: 0 };
    expect(router.ranking('llama')).toMatchObject([
      { rig: 'costs-100', absence: null, score: 0.25, parts: { ...parts, price: 0.25 }, weight: 1 },
      { rig: 'costs-200', absence: null, score: 0.5, parts: { ...parts, price: 0.5 } },
    ]);
    expect(router.ranking('unknown')).toEqual([]);
  });

  it('puts rigs that would not be asked last, and says since when a breaker is open', async () => {
    const busy = held();
    const { router, complete, time } = routerOf({
      rigsOf: {
        a: scripted(failing('failed')).backend,
        b: scripted(busy.move).backend,
        c: scripted(ANSWER).backend,
      },
      maxConcurrency: 1,
      breaker: { failuresToOpen: 1, openMs: 5_000, openMsMax: 5_000 },
    });
    expect(router.status()[0]).toMatchObject({ breakerSinceMs: null, trialAtMs: null });
    await complete({ model: 'only-a' }).catch(() => undefined);
    const openedMs = router.status()[0]?.breakerSinceMs ?? 0;
    const running = complete({ model: 'only-b' });
    await Promise.resolve();
    time.nowMs += 1_000;
    expect(router.ranking('llama').map(({ rig, absence }) => [rig, absence])).toEqual([
      ['c', null],
      ['b', 'full'],
      ['a', 'down'],
    ]);
    expect(router.status()[0]).toMatchObject({
      breaker: 'open',
      breakerSinceMs: openedMs,
      trialAtMs: openedMs + 5_000,
    });
    expect(openedMs).toBeGreaterThan(0);
    busy.letGo();
    await running;
  });
});
