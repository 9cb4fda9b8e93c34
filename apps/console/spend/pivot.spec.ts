import { describe, expect, it } from '@jest/globals';
import { cachedShareOf, microOf, pivotOf, type SpendRow } from './pivot.js';

const row = (group: SpendRow['group'], amount: string, more: Partial<SpendRow> = {}): SpendRow => ({
  group,
  kind: 'usage',
  corrects: null,
  quantity: null,
  amount_usd: amount,
  ...more,
});

describe('the pivot of spend', () => {
  it.each([
    ['0.31', 310_000n],
    ['12', 12_000_000n],
    ['-0.000013', -13n],
  ])('reads %s dollars exactly', (usd, micro) => {
    expect(microOf(usd)).toBe(micro);
  });

  it('sums by rows and columns, and keeps corrections apart', () => {
    const rows = [
      row({ day: '2026-11-01', model: 'b' }, '0.2'),
      row({ day: '2026-11-01', model: 'a' }, '0.1'),
      row({ day: '2026-11-01', model: 'a' }, '0.3'),
      row({ day: '2026-11-01', model: null }, '-0.1', { kind: 'credit_note' }),
    ];
    expect(pivotOf(rows, 'day', 'model')).toEqual({
      columns: ['(none)', 'a', 'b'],
      rows: [
        {
          name: '2026-11-01',
          cells: new Map([
            ['b', 200_000n],
            ['a', 400_000n],
          ]),
          total: 600_000n,
        },
        {
          name: '2026-11-01, credit note',
          cells: new Map([['(none)', -100_000n]]),
          total: -100_000n,
        },
      ],
    });
    expect(pivotOf(rows, 'day', '').columns).toEqual([]);
  });

  it('divides the cached tokens by all input tokens', () => {
    const classes = [
      row({ class: 'input_tokens' }, '1', { quantity: '60' }),
      row({ class: 'cache_read_tokens' }, '1', { quantity: '30' }),
      row({ class: 'cache_write_5m_tokens' }, '1', { quantity: '10' }),
      row({ class: 'output_tokens' }, '1', { quantity: '900' }),
    ];
    expect(cachedShareOf(classes)).toBe(0.3);
    expect(cachedShareOf([])).toBeNull();
  });
});
