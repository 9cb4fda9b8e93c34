import { describe, expect, it } from '@jest/globals';
import { rate } from './inference-world.fixture.js';
import { priceOf } from '#platform/ledger/price.js';
import { batchLinesOf, linesOf, tokensIn } from './token-lines.js';

const tokens = { inputTokens: 900, outputTokens: 100 };

describe('tokens as lines', () => {
  it('are priced by the million, in decimal micro-dollars', () => {
    expect(linesOf(tokens, rate)).toEqual([
      {
        meter: 'input_tokens',
        quantity: 900,
        unitPriceMicroUsd: '150000',
        perUnits: 1_000_000,
      },
      {
        meter: 'output_tokens',
        quantity: 100,
        unitPriceMicroUsd: '600000',
        perUnits: 1_000_000,
      },
    ]);
  });

  it('of a batch have the discount in an exact unit price', () => {
    const odd = { ...rate, inputMicroUsdPerMtok: '1', batchDiscountPercent: 33 };
    const [input, output] = batchLinesOf(tokens, odd);
    expect(input).toMatchObject({ unitPriceMicroUsd: '67', perUnits: 100_000_000 });
    expect(output).toMatchObject({ unitPriceMicroUsd: '40200000', perUnits: 100_000_000 });
    const million = { inputTokens: 2_000_000, outputTokens: 1_000_000 };
    expect(priceOf(batchLinesOf(million, rate))).toBe(priceOf(linesOf(million, rate)) / 2n);
    expect(priceOf(batchLinesOf(million, { ...rate, batchDiscountPercent: 0 }))).toBe(900_000n);
    expect(priceOf(batchLinesOf(million, { ...rate, batchDiscountPercent: 100 }))).toBe(0n);
  });

  it('are tokens again', () => {
    expect(tokensIn(linesOf(tokens, rate))).toEqual(tokens);
    expect(tokensIn([])).toEqual({ inputTokens: 0, outputTokens: 0 });
  });
});
