import { describe, expect, it } from '@jest/globals';
import {
  type ChargesOfDay,
  type StatementMonth,
} from '#projections/billing/statements.projection.js';
import { ACCOUNT, adjusted, deposited, MONTH, statementClosed } from '../account.fixture.js';
import { statementCsv } from './statement.csv.js';
import { type StatementParts, statementOf } from './statement.js';

/** 900 input tokens are 135 micro-dollars, 101 output tokens are 60.6: two charges are 98 each. */
const charges: ChargesOfDay = {
  kind: 'charges',
  day: '2026-11-21',
  purpose: 'translation',
  model: 'acme/llama',
  job: null,
  charges: 2,
  amount: '197',
  lines: [
    {
      meter: 'input_tokens',
      rateCardVersion: 3,
      unitPriceMicroUsd: '150000',
      perUnits: 1_000_000,
      quantity: '900',
      charges: 2,
    },
    {
      meter: 'output_tokens',
      rateCardVersion: 3,
      unitPriceMicroUsd: '600000',
      perUnits: 1_000_000,
      quantity: '101',
      charges: 2,
    },
  ],
};

const parts: StatementParts = {
  accountId: ACCOUNT,
  month: MONTH,
  isOver: false,
  earlier: [],
  entries: [{ kind: 'deposit', deposit: deposited(1_000, 1_000).data }, charges],
  closed: null,
  position: 42n,
};

const month = (deposit: string, charged: string, adjustment: string): StatementMonth => ({
  kind: 'month',
  accountId: ACCOUNT,
  month: '2026-10',
  charges: 1,
  closed: null,
  deposited: deposit,
  charged,
  adjusted: adjustment,
});

describe('a statement', () => {
  it('has a line for the rounding, so that lines sum to the charges', () => {
    const { lines, totals } = statementOf(parts);
    const group = { day: '2026-11-21', model: 'acme/llama', job: null, purpose: 'translation' };
    expect(lines).toEqual([
      { ...group, ...charges.lines[0], amountMicroUsd: '135' },
      { ...group, ...charges.lines[1], amountMicroUsd: '60' },
      {
        ...group,
        meter: 'rounding',
        rateCardVersion: null,
        unitPriceMicroUsd: '1',
        perUnits: 1,
        quantity: '2',
        amountMicroUsd: '2',
        charges: 2,
      },
    ]);
    expect(totals).toEqual({
      depositedMicroUsd: '1000',
      chargedMicroUsd: '197',
      adjustedMicroUsd: '0',
      charges: 2,
    });
  });

  it('has no rounding where nothing was rounded', () => {
    const exact = { ...charges, amount: '195' };
    expect(statementOf({ ...parts, entries: [exact] }).lines).toHaveLength(2);
  });

  it('opens with the balance of earlier months, and closes with the balance now', () => {
    const earlier = [month('500', '120', '20'), month('0', '1', '0')];
    expect(statementOf({ ...parts, earlier })).toMatchObject({
      openingMicroUsd: '399',
      closingMicroUsd: '1202',
    });
  });

  it('shows an adjustment with the corrected charge', () => {
    const entries = [
      ...parts.entries,
      { kind: 'adjustment', adjustment: adjusted(5, 808).data },
    ] as const;
    const { adjustments, totals, closingMicroUsd } = statementOf({ ...parts, entries });
    expect(adjustments).toEqual([
      {
        adjustmentId: 'first',
        number: 1,
        kind: 'credit_note',
        amountMicroUsd: '5',
        refersTo: { month: MONTH, holdId: null },
        reason: 'slow answers',
        adjustedAt: '2026-12-02T08:00:00.000Z',
      },
    ]);
    expect(totals.adjustedMicroUsd).toBe('5');
    expect(closingMicroUsd).toBe('808');
  });

  const closed = statementClosed([0, 1_000, 197, 0, 803], 803).data;

  it('is open until its month is over, and closed by its event', () => {
    expect(statementOf(parts).status).toBe('open');
    expect(statementOf({ ...parts, isOver: true }).status).toBe('closing');
    expect(statementOf({ ...parts, isOver: true, closed })).toMatchObject({
      status: 'closed',
      closedAt: closed.closedAt,
    });
  });

  it('is not shown where it differs from the closed one', () => {
    const other = { ...closed, chargedMicroUsd: '198', closingMicroUsd: '802' };
    expect(() => statementOf({ ...parts, closed: other })).toThrow('differs from its closing');
  });
});

const HEADER =
  'section,day,purpose,model,job,meter,rate_card_version,quantity,unit_price_usd,per_units,' +
  'charges,amount_usd,reference,note';
const CHARGE = 'charge,2026-11-21,translation,acme/llama,';

describe('a statement as CSV', () => {
  it('has a row for each entry', () => {
    const csv = statementCsv(statementOf(parts));
    expect(csv.split('\r\n')).toEqual([
      HEADER,
      'opening,,,,,,,,,,,0.000000,,2026-11',
      'deposit,2026-11-21,,,,,,,,,,0.001000,first,manual_credit',
      `${CHARGE},input_tokens,3,900,0.150000,1000000,2,-0.000135,,`,
      `${CHARGE},output_tokens,3,101,0.600000,1000000,2,-0.000060,,`,
      `${CHARGE},rounding,,2,0.000001,1,2,-0.000002,,`,
      'closing,,,,,,,,,,,0.000803,,open',
      '',
    ]);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['@cmd', "'@cmd"],
    ['a "b", c', '"a ""b"", c"'],
    ['-5', '-5'],
  ])('shows the reference %s as %s: a spreadsheet runs no formula', (depositId, cell) => {
    const { data } = deposited(1_000, 1_000, depositId);
    const csv = statementCsv(
      statementOf({ ...parts, entries: [{ kind: 'deposit', deposit: data }] }),
    );
    expect(csv).toContain(`,0.001000,${cell},manual_credit\r\n`);
  });
});
