import { monthStart, today } from '../shell/days.js';
import { type Filter } from '../shell/filters.js';
import { listPage } from '../shell/list.js';
import { addressOf, query } from '../shell/location.js';
import { type QueryOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';
import { MARGIN_COLUMNS, type MarginRow } from './margin-row.js';

const GROUPS = ['rig', 'model', 'account', 'day'] as const;

const FILTERS: readonly Filter<QueryOf<'/api/v1/margin'>>[] = [
  { name: 'from', label: 'From, UTC', type: 'date', initial: monthStart() },
  { name: 'to', label: 'To, UTC', type: 'date', initial: today() },
  { name: 'by', label: 'Rows', choices: GROUPS, initial: 'rig' },
  { name: 'rig', label: 'Rig' },
  { name: 'account', label: 'Account' },
];

const group = (): (typeof GROUPS)[number] =>
  GROUPS.find((name) => name === query.value.get('by')) ?? 'rig';

const Group = ({ row }: { readonly row: MarginRow }) => {
  const name = row[group()];
  if (name === null) return <>(none)</>;
  if (group() !== 'rig') return <>{name}</>;
  return (
    <a data-page href={addressOf(`/rigs/${name}`)}>
      {name}
    </a>
  );
};

const COLUMNS: readonly Column<MarginRow>[] = [
  { name: 'Group', cell: (row) => <Group row={row} /> },
  ...MARGIN_COLUMNS,
];

export default listPage({
  title: 'Cost and price',
  route: '/api/v1/margin',
  isTimed: true,
  filters: FILTERS,
  rowsOf: ({ rows }) => rows,
  keyOf: (row) => JSON.stringify(row),
  columns: COLUMNS,
  empty: 'No charge and no attempt in these days. A chat makes both.',
});
