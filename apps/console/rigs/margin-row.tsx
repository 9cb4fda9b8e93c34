import { orDash } from '../shell/facts.js';
import { count, usd } from '../shell/figures.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

export type MarginRow = AnswerOf<'/api/v1/margin'>['rows'][number];

/** Behind the group of a row. */
export const MARGIN_COLUMNS: readonly Column<MarginRow>[] = [
  { name: 'Charges', isNumber: true, cell: ({ charges }) => count(charges) },
  { name: 'Charged', isNumber: true, cell: (row) => usd(row.charged_usd) },
  { name: 'Attempts', isNumber: true, cell: ({ attempts }) => count(attempts) },
  {
    name: 'Attempts with a known cost',
    isNumber: true,
    cell: (row) => count(row.stated_costs + row.computed_costs),
  },
  { name: 'Cost', isNumber: true, cell: (row) => orDash(row.cost_usd, usd) },
  { name: 'Margin', isNumber: true, cell: (row) => orDash(row.margin_usd, usd) },
];
