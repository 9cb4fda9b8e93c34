import { monthStart, today } from '../shell/days.js';
import { orDash } from '../shell/facts.js';
import { count, usd } from '../shell/figures.js';
import { type Filter } from '../shell/filters.js';
import { listPage } from '../shell/list.js';
import { query } from '../shell/location.js';
import { type AnswerOf, type QueryOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type MarginRow = AnswerOf<'/api/v1/margin'>['rows'][number];

const GROUPS = ['rig', 'model', 'account', 'day'] as const;

const FILTERS: readonly Filter<QueryOf<'/api/v1/margin'>>[] = [
  { name: 'from', label: 'From, UTC', type: 'date', initial: monthStart() },
  { name: 'to', label: 'To, UTC', type: 'date', initial: today() },
  { name: 'by', label: 'Rows', choices: GROUPS, initial: 'rig' },
];

const group = (): (typeof GROUPS)[number] =>
  GROUPS.find((name) => name === query.value.get('by')) ?? 'rig';

const COLUMNS: readonly Column<MarginRow>[] = [
  { name: 'Group', cell: (row) => row[group()] ?? '(none)' },
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

export default listPage({
  title: 'Cost and price',
  route: '/api/v1/margin',
  isTimed: true,
  filters: FILTERS,
  rowsOf: ({ rows }) => rows,
  keyOf: (row) => JSON.stringify(row),
  columns: COLUMNS,
  empty: 'No charge and no attempt in these days.',
});
