import { buffer } from 'node:stream/consumers';
import { startOfMonth } from '#events/billing/statement-month.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { inUsd } from './statement.csv.js';
import { type InvoiceParties } from './invoice-details.handlers.js';
import { type Statement, type StatementLine } from './statement.js';
import { type Party } from './statements.settings.js';

/** More lines than this are summed over days and jobs; the CSV has each. */
export const PDF_LINES_MAX = 1_000;

const PAGE = { size: 'A4', margin: 40 } as const;
const WIDTH = 515;
const TEXT = 9;
const TITLE = 18;
const LINE_HEIGHT = 13;
const BOTTOM = 790;

interface Column {
  readonly title: string;
  readonly width: number;
  readonly align: 'left' | 'right';
}

const COLUMNS: readonly Column[] = [
  { title: 'Day', width: 55, align: 'left' },
  { title: 'For', width: 90, align: 'left' },
  { title: 'Model', width: 105, align: 'left' },
  { title: 'Counted', width: 75, align: 'left' },
  { title: 'Quantity', width: 60, align: 'right' },
  { title: 'USD per', width: 70, align: 'right' },
  { title: 'USD', width: 60, align: 'right' },
];

/**
 * The statement as PDF, with the standard font and its letters (Latin-1) only. A statement has the
 * same bytes whenever it is made: its dates are the dates of the statement. The library is loaded
 * for the first one.
 */
export const statementPdf = async (
  statement: Statement,
  parties: InvoiceParties,
): Promise<Buffer> => {
  const { default: PdfDocument } = await import('pdfkit');
  const at = new Date(statement.closedAt ?? startOfMonth(statement.month));
  const info = { Title: titleOf(statement), Producer: 'Quipu', Creator: 'Quipu', CreationDate: at };
  const document = new PdfDocument({ ...PAGE, info, lang: 'en' });
  const bytes = buffer(document);
  new Sheet(document).fill(statement, parties);
  document.end();
  return bytes;
};

const titleOf = ({ month, accountId }: Statement): string =>
  `Statement ${month} of account ${accountId}`;

/** One document, from top to bottom. */
class Sheet {
  #y: number = PAGE.margin;

  constructor(private readonly document: PDFKit.PDFDocument) {}

  fill(statement: Statement, parties: InvoiceParties): void {
    this.document.font('Helvetica-Bold').fontSize(TITLE);
    this.#text(titleOf(statement), PAGE.margin, WIDTH, 'left');
    this.#y += 2 * LINE_HEIGHT;
    this.document.font('Helvetica').fontSize(TEXT);
    for (const [title, lines] of partiesOf(statement, parties)) {
      this.#heading(title);
      for (const line of lines) this.#pair(line, '');
    }
    this.#heading('Summary');
    for (const [name, value] of factsOf(statement)) this.#pair(name, value);
    this.#y += LINE_HEIGHT;
    this.#heading('Charges');
    this.#row(COLUMNS.map(({ title }) => title));
    for (const line of shownLines(statement.lines)) this.#row(cellsOf(line));
    if (statement.deposits.length > 0) this.#heading('Deposits');
    for (const { depositedAt, depositId, amountMicroUsd } of statement.deposits) {
      this.#pair(`${depositedAt.slice(0, 10)}  ${depositId}`, inUsd(amountMicroUsd));
    }
    if (statement.adjustments.length > 0) this.#heading('Corrections');
    for (const { adjustedAt, kind, refersTo, reason, amountMicroUsd } of statement.adjustments) {
      const what = `${adjustedAt.slice(0, 10)}  ${kind} for ${refersTo.month}: ${reason}`;
      this.#pair(what, inUsd(amountMicroUsd));
    }
  }

  #heading(title: string): void {
    this.#y += LINE_HEIGHT / 2;
    this.document.font('Helvetica-Bold');
    this.#pair(title, '');
    this.document.font('Helvetica');
  }

  #pair(name: string, value: string): void {
    this.#break();
    const valueWidth = 110;
    this.#text(name, PAGE.margin, WIDTH - valueWidth, 'left');
    this.#text(value, PAGE.margin + WIDTH - valueWidth, valueWidth, 'right');
    this.#y += LINE_HEIGHT;
  }

  #row(cells: readonly string[]): void {
    this.#break();
    let x: number = PAGE.margin;
    COLUMNS.forEach(({ width, align }, index) => {
      this.#text(cells[index] ?? '', x, width - 4, align);
      x += width;
    });
    this.#y += LINE_HEIGHT;
  }

  #text(text: string, x: number, width: number, align: 'left' | 'right'): void {
    const height = LINE_HEIGHT * 2;
    const options = { width, align, height, lineBreak: false, ellipsis: true };
    this.document.text(latin1(text), x, this.#y, options);
  }

  #break(): void {
    if (this.#y + LINE_HEIGHT <= BOTTOM) return;
    this.document.addPage(PAGE);
    this.#y = PAGE.margin;
  }
}

const partiesOf = (
  { accountId }: Statement,
  { seller, customer }: InvoiceParties,
): readonly (readonly [string, readonly string[]])[] => [
  ['Seller', seller ? partyLines(seller) : ['not stated by the operator']],
  ['Customer', [...(customer ? partyLines(customer) : []), `Account ${accountId}`]],
];

const partyLines = ({ name, address, taxId }: Party): readonly string[] => [
  name,
  ...(address === null ? [] : [address]),
  ...(taxId === null ? [] : [`Tax id ${taxId}`]),
];

/** Of the account and the month: no other statement has it. */
const numberOf = ({ accountId, month }: Statement): string => `${accountId}-${month}`;

const factsOf = (statement: Statement): readonly (readonly [string, string])[] => {
  const { status, closedAt, totals, tax } = statement;
  return [
    ['Number', numberOf(statement)],
    ['Status', closedAt === null ? status : `${status} at ${closedAt}`],
    ['Currency', statement.currency],
    ['Opening balance', inUsd(statement.openingMicroUsd)],
    ['Deposits', inUsd(totals.depositedMicroUsd)],
    [`Charges (${totals.charges})`, inUsd(totals.chargedMicroUsd)],
    ['Corrections', inUsd(totals.adjustedMicroUsd)],
    ['Closing balance', inUsd(statement.closingMicroUsd)],
    ...(tax ? ([[taxName(tax), inUsd(tax.taxMicroUsd)]] as const) : []),
  ];
};

const PPM_PER_PERCENT = 10_000;

const taxName = (tax: NonNullable<Statement['tax']>): string => {
  const { kind, ratePpm, country, treatment, grossMicroUsd } = tax;
  const rate = `${kind.toUpperCase()} of ${country} at ${ratePpm / PPM_PER_PERCENT} %`;
  return `${rate} in ${inUsd(grossMicroUsd)} (${treatment.replaceAll('_', ' ')})`;
};

const cellsOf = (line: StatementLine): readonly string[] => [
  line.day,
  line.purpose,
  line.model ?? '',
  line.meter,
  line.quantity,
  `${inUsd(line.unitPriceMicroUsd)} / ${compact(line.perUnits)}`,
  inUsd(line.amountMicroUsd),
];

/** `1M` for a million. */
const compact = (units: number): string =>
  units % 1_000_000 === 0 ? `${units / 1_000_000}M` : String(units);

/** One row for each price of all rate cards; many rows are summed over days and jobs. */
const shownLines = (lines: readonly StatementLine[]): readonly StatementLine[] => {
  const rows = summed(lines);
  return rows.length <= PDF_LINES_MAX
    ? rows
    : summed(rows.map((row) => ({ ...row, day: 'all days', job: null })));
};

const summed = (lines: readonly StatementLine[]): readonly StatementLine[] => {
  const sums = new Map<string, StatementLine>();
  for (const line of lines) {
    const { day, job, purpose, model, meter, unitPriceMicroUsd, perUnits } = line;
    const key = JSON.stringify([day, job, purpose, model, meter, unitPriceMicroUsd, perUnits]);
    const before = sums.get(key);
    sums.set(key, {
      ...line,
      quantity: (BigInt(before?.quantity ?? 0) + BigInt(line.quantity)).toString(),
      amountMicroUsd: toDecimal(
        fromDecimal(before?.amountMicroUsd ?? '0') + fromDecimal(line.amountMicroUsd),
      ),
      charges: (before?.charges ?? 0) + line.charges,
    });
  }
  return [...sums.values()];
};

/** The standard fonts have no other letters. */
const latin1 = (text: string): string => text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?');
