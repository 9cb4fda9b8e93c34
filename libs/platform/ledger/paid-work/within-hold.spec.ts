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
  it('has each step up to its own bound, and records what is above', () => {
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

  it('charges nothing that was not held', () => {
    expect(withinHold([line('a', 'in', 3)], [])).toEqual({
      charged: [line('a', 'in', 0)],
      excess: [{ step: 'a', meter: 'in', quantity: 3 }],
    });
  });
});
