import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { type Statement, type StatementLine } from './statement.js';
import { PDF_LINES_MAX, statementPdf } from './statement.pdf.js';

const line = (day: number): StatementLine => ({
  day: `2026-11-${String((day % 30) + 1).padStart(2, '0')}`,
  model: 'acme/llama',
  job: null,
  purpose: 'chat_completion',
  meter: 'input_tokens',
  rateCardVersion: 3,
  quantity: '900',
  unitPriceMicroUsd: '150000',
  perUnits: 1_000_000,
  amountMicroUsd: '135',
  charges: 1,
});

const statement: Statement = {
  accountId: '7',
  month: '2026-11',
  currency: 'USD',
  status: 'closed',
  position: '42',
  openingMicroUsd: '0',
  closingMicroUsd: '999865',
  lines: [line(20)],
  deposits: [
    {
      depositId: 'first',
      number: 1,
      method: 'manual_credit',
      amountMicroUsd: '1000000',
      depositedAt: '2026-11-21T04:48:00.000Z',
    },
  ],
  adjustments: [
    {
      adjustmentId: 'slow',
      number: 1,
      kind: 'credit_note',
      amountMicroUsd: '5',
      refersTo: { month: '2026-10', holdId: null },
      reason: 'slow answers, für 漢',
      adjustedAt: '2026-11-22T04:48:00.000Z',
    },
  ],
  tax: {
    country: 'DE',
    region: null,
    treatment: 'taxable',
    kind: 'vat',
    source: 'a table',
    ratePpm: 190_000,
    grossMicroUsd: '135',
    taxMicroUsd: '22',
  },
  parties: null,
  totals: {
    depositedMicroUsd: '1000000',
    chargedMicroUsd: '135',
    adjustedMicroUsd: '5',
    charges: 1,
  },
  closedAt: '2026-12-02T00:00:00.000Z',
};

const PARTIES = {
  seller: { name: 'Acme GmbH', address: 'Hauptstr. 1, 10115 Berlin', taxId: 'DE123456789' },
  customer: { name: 'Bücher AG', address: null, taxId: 'CHE-123.456.789' },
};

/**
 * The text of a PDF, by a reader of its own: inflates each content stream and decodes the strings
 * in hexadecimal that the operators Tj and TJ show, in Latin-1.
 */
const textOf = (pdf: Buffer): string => {
  const source = pdf.toString('latin1');
  const pages: string[] = [];
  for (const [, dictionary = '', body = ''] of source.matchAll(
    /<<([^]*?)>>\s*stream\r?\n([^]*?)\r?\nendstream/g,
  )) {
    if (!dictionary.includes('/FlateDecode')) continue;
    const content = inflateSync(Buffer.from(body, 'latin1')).toString('latin1');
    const shown = [...content.matchAll(/\[([^\]]*)\]\s*TJ|<([0-9a-f]+)>\s*Tj/gi)];
    const strings = shown.map(([operand]) =>
      [...operand.matchAll(/<([0-9a-f]*)>/gi)]
        .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
        .join(''),
    );
    pages.push(strings.join('\n'));
  }
  return pages.join('\n');
};

describe('a statement as PDF', () => {
  it('says what the statement says', async () => {
    const pdf = await statementPdf(statement, PARTIES);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.subarray(-6).toString().trim()).toBe('%%EOF');
    // A text may be shown in pieces.
    const text = textOf(pdf).replaceAll(/\s+/g, ' ');
    for (const expected of [
      ...['Statement 2026-11 of account 7', 'closed at 2026-12-02T00:00:00.000Z'],
      ...['Opening balance', '0.000000', 'Closing balance', '0.999865', 'Charges (1)'],
      ...['2026-11-21', 'chat_completion', 'acme/llama', 'input_tokens', '900'],
      ...['0.150000 / 1M', '0.000135', '2026-11-21 first', '1.000000'],
      ...['2026-11-22 credit_note for 2026-10: slow answers, für ?', '0.000005'],
      ...['Seller', 'Acme GmbH', 'Hauptstr. 1, 10115 Berlin', 'Tax id DE123456789'],
      ...['Customer', 'Bücher AG', 'Tax id CHE-123.456.789', 'Account 7', 'Number', '7-2026-11'],
      ...['VAT of DE at 19 % in 0.000135 (taxable)', '0.000022'],
    ]) {
      expect(text).toContain(expected);
    }
  });

  it('has the same bytes whenever it is made', async () => {
    expect(
      (await statementPdf(statement, PARTIES)).equals(await statementPdf(statement, PARTIES)),
    ).toBe(true);
  });

  it('has a row for each line, over several pages', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => ({ ...line(index), job: `${index}` }));
    const pdf = await statementPdf({ ...statement, lines }, PARTIES);
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBe(5);
    expect(textOf(pdf).match(/^acme\/llama$/gm)).toHaveLength(200);
  });

  it('has one row for a price that several rate cards have', async () => {
    const lines = [3, 4, 5].map((rateCardVersion) => ({ ...line(20), rateCardVersion }));
    const text = textOf(await statementPdf({ ...statement, lines }, PARTIES)).split('\n');
    expect(text.filter((one) => one === 'acme/llama')).toHaveLength(1);
    expect(text).toContain('2700');
    expect(text).toContain('0.000405');
  });

  it('says that an operator has not stated who sells', async () => {
    const text = textOf(await statementPdf(statement, { seller: null, customer: null }));
    expect(text).toContain('not stated by the operator');
    expect(text).toContain('Account 7');
  });

  it('sums more lines than it shows', async () => {
    const lines = Array.from({ length: PDF_LINES_MAX + 1 }, (_, index) => ({
      ...line(index),
      job: `${index}`,
    }));
    const text = textOf(await statementPdf({ ...statement, lines }, PARTIES)).split('\n');
    expect(text.filter((one) => one === 'acme/llama')).toHaveLength(1);
    expect(text).toContain('all days');
    expect(text).toContain(String(900 * (PDF_LINES_MAX + 1)));
    expect(text).toContain('0.135135');
  });
});
