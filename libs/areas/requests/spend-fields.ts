import { csvOf } from '#platform/kernel/csv.js';
import { usdOf } from './request-fields.js';
import { type SpendGroup } from './spend-groups.js';
import { type SpendReport, type SpendRow } from './spend.handler.js';

/** A row of spend, as JSON. */
export const spendFields = ({ group, kind, corrects, quantity, amount }: SpendRow) => ({
  group,
  kind,
  corrects,
  quantity: quantity === null ? null : quantity.toString(),
  amount_usd: usdOf(amount),
});

const FIGURES = ['kind', 'corrects', 'quantity', 'amount_usd'] as const;

/** A report as rows of text, the first one with names; what there is not is empty. */
export const spendTable = (
  { rows }: SpendReport,
  by: readonly SpendGroup[],
): readonly (readonly string[])[] => [
  [...by, ...FIGURES],
  ...rows.map((row) => {
    const fields = spendFields(row);
    return [
      ...by.map((name) => row.group[name] ?? ''),
      ...FIGURES.map((name) => fields[name] ?? ''),
    ];
  }),
];

export const spendCsv = (report: SpendReport, by: readonly SpendGroup[]): string =>
  csvOf(spendTable(report, by));
