import { describe, expect, it } from '@jest/globals';
import { costSoFar } from './live-cost.js';

const INPUT = { meter: 'input_tokens', quantity: 9, usd: 1, per: 1_000_000 };
const OUTPUT = { meter: 'output_tokens', quantity: 100, usd: 2, per: 1_000_000 };

describe('the cost of a chat while it streams', () => {
  it.each([
    ['has the input from the first moment', 0, 9],
    ['grows with each output token', 2, 13],
    ['stays below the output that the chat may have', 500, 209],
  ])('%s', (_, tokens, micro) => {
    expect(costSoFar({ lines: [INPUT, OUTPUT] }, tokens)).toBe(micro);
  });

  it('is rounded up once, as a charge is', () => {
    const lines = [
      { ...INPUT, quantity: 1, usd: 0.1 },
      { ...OUTPUT, usd: 0.2 },
    ];
    expect(costSoFar({ lines }, 1)).toBe(1);
    expect(costSoFar({ lines }, 5)).toBe(2);
    expect(costSoFar({ lines: [{ ...INPUT, usd: 0.1, quantity: 3 }, OUTPUT] }, 1)).toBe(3);
  });

  it('is not known without a price of output tokens', () => {
    expect(costSoFar({ lines: [INPUT] }, 2)).toBeNull();
  });
});
