import { orDash } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf, addressWith } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Rejection = AnswerOf<'/api/v1/rejections'>['rejections'][number];

const COLUMNS: readonly Column<Rejection>[] = [
  { name: 'Rejected, UTC', cell: (one) => instant(one.rejected_at) },
  {
    name: 'Request',
    cell: ({ request_id: id }) => (
      <a data-page href={addressOf(`/rejections/${id}`)}>
        {id}
      </a>
    ),
  },
  { name: 'Product', cell: ({ purpose }) => purpose ?? '–' },
  { name: 'At most', isNumber: true, cell: (one) => orDash(one.asked_usd, usd) },
  {
    name: 'Why',
    cell: ({ code, message }) => (
      <>
        <a data-page href={addressWith({ code })}>
          {code}
        </a>
        : {message}
      </>
    ),
  },
];

export default listPage({
  title: 'Rejected requests',
  route: '/api/v1/rejections',
  filters: [{ name: 'code', label: 'Code' }],
  rowsOf: ({ rejections }) => rejections,
  keyOf: ({ request_id: id }) => id,
  columns: COLUMNS,
  empty: (
    <>
      No rejected request is remembered. The ledger rejects a request that the balance or a budget
      cannot pay, and remembers the last ones of each account.
    </>
  ),
});
