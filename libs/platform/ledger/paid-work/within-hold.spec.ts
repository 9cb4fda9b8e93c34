import { describe, expect, it } from '@jest/globals';
import { withinHold } from './within-hold.js';

const line = (step: string, meter: string, quantity: number) => ({
  step,
  meter,
  quantity,
  unitPriceMicroUsd: '1',
  perUnits: 1,
});

describe('a charge within its hold', () => {
  it('has each step up to its own bound, and records the excess', () => {
    const held = [
      line('branch-1', 'in', 10),
      line('branch-2', 'in', 20),
      line('branch-2', 'out', 5),
    ];
    const used = [
      line('branch-1', 'in', 12),
      line('branch-2', 'in', 12),
      line('branch-2', 'out', 5),
    ];
    expect(withinHold(used, held)).toEqual({
      charged: [{ ...used[0], quantity: 10 }, used[1], used[2]],
      excess: [{ step: 'branch-1', meter: 'in', quantity: 2 }],
    });
  });

  it('counts tokens of a class against the held input, and cuts the dearest', () => {
    const token = (meter: string, quantity: number, unitPriceMicroUsd: string) => ({
      meter,
      quantity,
      unitPriceMicroUsd,
      perUnits: 1_000_000,
    });
    const held = [token('input_tokens', 100, '250'), token('output_tokens', 10, '900')];
    const fresh = token('input_tokens', 60, '200');
    const plain = token('output_tokens', 10, '900');
    const read = token('cache_read_tokens', 30, '20');
    const written = token('cache_write_5m_tokens', 15, '250');
    expect(withinHold([fresh, plain, read, written], held)).toEqual({
      charged: [
        { ...fresh, heldAs: 'input_tokens' },
        plain,
        { ...read, heldAs: 'input_tokens' },
        { ...written, quantity: 10, heldAs: 'input_tokens' },
      ],
      excess: [{ meter: 'cache_write_5m_tokens', quantity: 5 }],
    });
  });

  it('charges nothing that was not held', () => {
    expect(withinHold([line('a', 'in', 3)], [])).toEqual({
      charged: [line('a', 'in', 0)],
      excess: [{ step: 'a', meter: 'in', quantity: 3 }],
    });
  });
});
