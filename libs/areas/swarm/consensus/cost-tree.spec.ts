import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { priceOf } from '#platform/ledger/price.js';
import { costTreeOf } from './cost-tree.js';

const line = (step: string, meter: string, quantity: number, price: number): ChargedLine => ({
  step,
  model: `model of ${step}`,
  meter,
  quantity,
  rig: 'built-in',
  unitPriceMicroUsd: String(price),
  perUnits: 1_000_000,
});

describe('the cost tree', () => {
  it('has the tokens and the exact cost of each step', () => {
    const lines = [
      line('branch-1', 'input_tokens', 10, 50_000),
      line('branch-1', 'output_tokens', 3, 100_001),
      line('aggregator', 'input_tokens', 1_000_000, 2_500_000),
      line('aggregator', 'output_tokens', 0, 5),
    ];
    expect(costTreeOf(lines)).toEqual([
      {
        step: 'branch-1',
        model: 'model of branch-1',
        rig: 'built-in',
        input_tokens: 10,
        output_tokens: 3,
        cost_usd: '0.000000800003',
      },
      {
        step: 'aggregator',
        model: 'model of aggregator',
        rig: 'built-in',
        input_tokens: 1_000_000,
        output_tokens: 0,
        cost_usd: '2.500000000000',
      },
    ]);
  });

  it('adds up to the charge before it is rounded up', () => {
    const charged = fc.record({
      step: fc.constantFrom('branch-1', 'branch-2', 'aggregator'),
      meter: fc.constantFrom('input_tokens', 'output_tokens'),
      quantity: fc.nat(1e6),
      price: fc.nat(1e9),
    });
    fc.assert(
      fc.property(fc.array(charged, { minLength: 1, maxLength: 9 }), (parts) => {
        const lines = parts.map(({ step, meter, quantity, price }) =>
          line(step, meter, quantity, price),
        );
        const picoUsd = costTreeOf(lines).reduce(
          (sum, { cost_usd: usd }) => sum + BigInt(usd.replace('.', '')),
          0n,
        );
        expect(priceOf(lines)).toBe((picoUsd + 999_999n) / 1_000_000n);
      }),
    );
  });
});
