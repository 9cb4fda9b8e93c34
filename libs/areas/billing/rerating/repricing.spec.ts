import { describe, expect, it } from '@jest/globals';
import { type PriceCard } from '#platform/ledger/price-card.js';
import { adjusted, captured, translation } from '../account.fixture.js';
import { Repricing } from './repricing.js';

/** A thousand input tokens are 150 micro-dollars, output tokens 600, times the factor. */
const card = (factor: bigint): PriceCard => ({
  version: 4,
  sourceSha256: 'a'.repeat(64),
  batchDiscountPercent: 50,
  meters: new Map(),
  rigs: new Map(),
  models: new Map([
    [
      'acme/llama',
      {
        inputMicroUsdPerMtok: String(150_000n * factor),
        outputMicroUsdPerMtok: String(600_000n * factor),
      },
    ],
  ]),
});

const charge = { ...captured([900, 101], 196, 0, 0).data, model: 'acme/llama' };

describe('pricing charges with another card', () => {
  it('rounds each charge up once, as the charge was', () => {
    const repricing = new Repricing([translation], card(3n));
    repricing.charge(charge);
    repricing.charge(charge);
    // 900 * 0.45 + 101 * 1.8 are 586.8, so 587 for each charge.
    const [account] = repricing.accounts();
    expect(account).toMatchObject({ charges: 2, unpriced: 0, charged: 392n, repriced: 1_174n });
    expect(account?.lines).toMatchObject([
      { meter: 'input_tokens', quantity: 1_800n, from: { unitPriceMicroUsd: '150000' } },
      { meter: 'output_tokens', quantity: 202n, to: { unitPriceMicroUsd: '1800000' } },
    ]);
  });

  it('finds no difference with the same prices', () => {
    const repricing = new Repricing([translation], card(1n));
    repricing.charge(charge);
    expect(repricing.accounts()).toMatchObject([{ charged: 196n, repriced: 196n, lines: [] }]);
  });

  it('prices a line by the model that it names', () => {
    const [input, output] = charge.lines;
    const lines = [
      { ...input, model: 'acme/llama', step: 'member-1' },
      { ...output, model: 'acme/llama', step: 'member-1' },
    ] as typeof charge.lines;
    const repricing = new Repricing([translation], card(3n));
    repricing.charge({ ...charge, model: 'acme/other', lines });
    expect(repricing.accounts()).toMatchObject([
      { unpriced: 0, repriced: 587n, lines: [{ model: 'acme/llama' }, { model: 'acme/llama' }] },
    ]);
  });

  it.each([
    ['the card lacks its model', { ...charge, model: 'acme/other' }],
    ['the charge has no model', captured([900, 101], 196, 0, 0).data],
    ['no area declares its product', { ...charge, purpose: 'dictation' }],
  ])('leaves a charge as it is where %s', (_, data) => {
    const repricing = new Repricing([translation], card(3n));
    repricing.charge(data);
    expect(repricing.accounts()).toMatchObject([
      { charges: 1, unpriced: 1, charged: 196n, repriced: 196n, lines: [] },
    ]);
  });

  it('sums earlier re-ratings, and leaves out accounts without charges', () => {
    const repricing = new Repricing([translation], card(3n));
    repricing.rerating(adjusted(-10, 0).data);
    expect(repricing.accounts()).toEqual([]);
    repricing.charge(charge);
    expect(repricing.accounts()).toMatchObject([{ rerated: -10n, reratings: 1 }]);
  });
});
