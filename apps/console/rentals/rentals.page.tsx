import { orDash } from '../shell/facts.js';
import { count, instant, usd, usdOfMicro } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Rental = AnswerOf<'/api/v1/rentals'>['rentals'][number];

const COLUMNS: readonly Column<Rental>[] = [
  { name: 'Ordered, UTC', cell: (rental) => instant(rental.submitted_at) },
  {
    name: 'Rental',
    cell: ({ job_id: id }) => (
      <a data-page href={addressOf(`/rentals/${id}`)}>
        {id}
      </a>
    ),
  },
  { name: 'Rig', cell: ({ rig }) => rig },
  { name: 'Image', cell: ({ image }) => image ?? '–' },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'An hour', isNumber: true, cell: (rental) => usd(rental.hourly_usd) },
  { name: 'Seconds', isNumber: true, cell: ({ seconds }) => count(seconds) },
  {
    name: 'Charged',
    isNumber: true,
    cell: ({ charge }) => orDash(charge?.amount_micro_usd, usdOfMicro),
  },
];

export default listPage({
  title: 'Rentals',
  route: '/api/v1/rentals',
  rowsOf: ({ rentals }) => rentals,
  keyOf: (rental) => rental.job_id,
  columns: COLUMNS,
  empty: (
    <>
      You rent no machine. <code>POST /api/v1/rentals</code> starts a program on a rig, and{' '}
      <code>/api/v1/billing/rates.php</code> has the price of an hour.
    </>
  ),
});
