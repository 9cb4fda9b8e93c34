import { describe, expect, it } from '@jest/globals';
import {
  ask,
  catalogOf,
  expectPaid,
  OPENING_MICRO_USD,
  OUTPUT_PRICE_USD_PER_MTOK,
  TOKENS_USED,
  using,
} from './admission.fixture.js';
import { startWorld } from './quipu.harness.js';

/** The opening credit is the price of `HELD` requests held in full. */
const HELD = 50;
const ASKED = 200;

describe('admission of requests at once', () => {
  it('answers as many of 400 as the balance pays', async () => {
    await expectPaid(await startWorld([using(TOKENS_USED)], { catalogOf }));
  });

  it('admits exactly what the balance covers', async () => {
    const tokens = OPENING_MICRO_USD / HELD / OUTPUT_PRICE_USD_PER_MTOK;
    const world = await startWorld([using(tokens)], { catalogOf });
    try {
      const answers = await Promise.all(
        Array.from({ length: ASKED }, () => ask(world, { max_tokens: tokens })),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(HELD);
      expect(statuses.filter((status) => status === 402)).toHaveLength(ASKED - HELD);
      const refused = await answers.find(({ status }) => status === 402)?.json();
      expect(refused).toMatchObject({
        error: { code: 'insufficient_balance', type: 'insufficient_quota', param: null },
      });
      const last = (await world.events()).findLast(({ type }) => type === 'HoldCaptured');
      expect(last?.data).toMatchObject({ availableMicroUsd: '0' });
    } finally {
      await world.close();
    }
  });
});
