import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type RoomSpend = AnswerOf<'/api/v1/cleanrooms/{cleanroom_uuid}/spends'>['spends'][number];

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

export default listPage({
  title: 'The ledger of epsilon',
  route: '/api/v1/cleanrooms/{cleanroom_uuid}/spends',
  isTimed: true,
  rowsOf: ({ spends }) => spends,
  keyOf: (spend) => spend.spend_id,
  columns: COLUMNS,
  empty: 'No query has spent epsilon yet.',
});
