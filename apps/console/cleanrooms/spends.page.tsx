import { instant } from '../shell/figures.js';
import { type ListAnswer, listPage } from '../shell/list.js';
import { type Column } from '../shell/table.js';

interface RoomSpend {
  readonly spend_id: string;
  readonly mechanism: string;
  readonly sensitivity: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly cost: string;
  readonly query_hash: string;
  readonly spent_at: string;
  readonly account_id: string;
}

interface RoomSpends extends ListAnswer {
  readonly spends: readonly RoomSpend[];
}

const COLUMNS: readonly Column<RoomSpend>[] = [
  { name: 'Spent, UTC', cell: (spend) => instant(spend.spent_at) },
  { name: 'Account', cell: (spend) => spend.account_id },
  { name: 'Mechanism', cell: ({ mechanism }) => mechanism.replaceAll('_', ' ') },
  { name: 'Sensitivity', isNumber: true, cell: ({ sensitivity }) => sensitivity },
  { name: 'Epsilon', isNumber: true, cell: ({ epsilon }) => epsilon },
  { name: 'Delta', isNumber: true, cell: ({ delta }) => delta },
  { name: 'Cost', isNumber: true, cell: ({ cost }) => cost },
  { name: 'Hash of the query', cell: (spend) => <code>{spend.query_hash}</code> },
];

export default listPage<RoomSpends, RoomSpend>({
  title: 'The ledger of epsilon',
  route: ({ id = '' }) => `/api/v1/cleanrooms/${encodeURIComponent(id)}/spends`,
  isTimed: true,
  rowsOf: ({ spends }) => spends,
  keyOf: (spend) => spend.spend_id,
  columns: COLUMNS,
  empty: 'No query has spent epsilon yet.',
});
