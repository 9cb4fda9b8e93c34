import { describe, expect, it } from '@jest/globals';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { chargedLines, missingLines, raised } from './job.usage.js';

const line = (meter: string, quantity: number, price: string, step?: string): PriceLine => ({
  ...(step !== undefined && { step }),
  meter,
  quantity,
  unitPriceMicroUsd: price,
  perUnits: 1,
});

describe('the usage of a job', () => {
  it('never falls, for each meter in each step', () => {
    const before = [
      { meter: 'rows', quantity: 5 },
      { meter: 'rows', step: 'border', quantity: 7 },
    ];
    const reported = [
      { meter: 'rows', quantity: 3 },
      { meter: 'rows', step: 'border', quantity: 9 },
      { meter: 'knots', quantity: 1 },
    ];
    expect(raised(before, reported)).toEqual([
      { meter: 'rows', quantity: 5 },
      { meter: 'rows', step: 'border', quantity: 9 },
      { meter: 'knots', quantity: 1 },
    ]);
  });
});

describe('the usage of a job on several rigs', () => {
  const usage = [
    { rig: 'mill', meter: 'rows', quantity: 6 },
    { rig: 'press', meter: 'rows', quantity: 6 },
  ];

  it('never falls, for each meter on each rig', () => {
    const later = [{ rig: 'press', meter: 'rows', quantity: 8 }];
    expect(raised(usage, later)).toEqual([usage[0], later[0]]);
  });

  it('is charged to the same held line, and the excess names no rig', () => {
    expect(chargedLines([line('rows', 10, '5')], usage)).toEqual({
      lines: [
        { ...line('rows', 6, '5'), rig: 'mill' },
        { ...line('rows', 4, '5'), rig: 'press' },
      ],
      excess: [{ meter: 'rows', quantity: 2 }],
    });
  });

  it('needs no renewal for each rig', () => {
    const ahead = [{ meter: 'rows', quantity: 3 }];
    expect(missingLines([line('rows', 15, '5')], usage, ahead)).toEqual([]);
    expect(missingLines([line('rows', 14, '5')], usage, ahead)).toEqual([line('rows', 1, '5')]);
  });
});

describe('the lines of a charge', () => {
  it('are what was used at the held prices, and never more than is held', () => {
    const held = [line('rows', 100, '5'), line('knots', 10, '2')];
    const used = [
      { meter: 'rows', quantity: 40 },
      { meter: 'knots', quantity: 12 },
    ];
    expect(chargedLines(held, used)).toEqual({
      lines: [line('rows', 40, '5'), line('knots', 10, '2')],
      excess: [{ meter: 'knots', quantity: 2 }],
    });
  });

  it('take the price of the own step first, then of the steps above it', () => {
    const held = [line('rows', 3, '9', 'carpet/border'), line('rows', 4, '7', 'carpet')];
    const rest = line('rows', 5, '5');
    const used = [{ step: 'carpet/border', meter: 'rows', quantity: 13 }];
    expect(chargedLines([...held, rest], used)).toEqual({
      lines: [
        line('rows', 3, '9', 'carpet/border'),
        line('rows', 4, '7', 'carpet/border'),
        line('rows', 5, '5', 'carpet/border'),
      ],
      excess: [{ step: 'carpet/border', meter: 'rows', quantity: 1 }],
    });
  });

  it('have the price of a unit that has one, and never more than the held price', () => {
    const held = [
      { meter: 'input_tokens', quantity: 10, unitPriceMicroUsd: '5', perUnits: 1, model: 'm' },
    ];
    const at = (unitPriceMicroUsd: string) => ({ unitPriceMicroUsd, perUnits: 1 });
    const used = [
      { meter: 'input_tokens', quantity: 4, price: { ...at('9'), tier: { service: 'fast' } } },
      { meter: 'cache_read_tokens', quantity: 7, price: { ...at('1'), model: 'other' } },
    ];
    expect(chargedLines(held, used)).toEqual({
      lines: [
        {
          meter: 'cache_read_tokens',
          quantity: 7,
          ...at('1'),
          model: 'other',
          heldAs: 'input_tokens',
        },
        { meter: 'input_tokens', quantity: 3, ...at('5'), model: 'm' },
      ],
      excess: [{ meter: 'input_tokens', quantity: 1 }],
    });
  });

  it('never take the same held unit twice', () => {
    const used = [
      { step: 'a', meter: 'rows', quantity: 6 },
      { step: 'b', meter: 'rows', quantity: 6 },
    ];
    expect(chargedLines([line('rows', 10, '5')], used)).toEqual({
      lines: [line('rows', 6, '5', 'a'), line('rows', 4, '5', 'b')],
      excess: [{ step: 'b', meter: 'rows', quantity: 2 }],
    });
  });

  it('leave out what is not held at all, and what was not used', () => {
    const used = [
      { meter: 'knots', quantity: 3 },
      { meter: 'rows', quantity: 0 },
    ];
    expect(chargedLines([line('rows', 10, '5')], used)).toEqual({
      lines: [],
      excess: [{ meter: 'knots', quantity: 3 }],
    });
  });
});

describe('the lines of a renewal', () => {
  const ahead = [{ meter: 'rows', quantity: 30 }];

  it('keep so much held above what is used', () => {
    const held = [line('rows', 40, '5'), line('rows', 10, '5')];
    const used = [{ meter: 'rows', quantity: 35 }];
    expect(missingLines(held, used, ahead)).toEqual([line('rows', 15, '5')]);
  });

  it('are none where enough is held, or nothing need be held ahead', () => {
    const held = [line('rows', 60, '5')];
    expect(missingLines(held, [{ meter: 'rows', quantity: 30 }], ahead)).toEqual([]);
    expect(missingLines(held, [{ meter: 'rows', quantity: 99 }], [])).toEqual([]);
    expect(missingLines([line('knots', 60, '5')], [], ahead)).toEqual([]);
  });
});
