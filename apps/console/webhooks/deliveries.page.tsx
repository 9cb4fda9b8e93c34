import { orDash } from '../shell/facts.js';
import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';
import { WriteDialog } from '../shell/write-form.js';

type Deliveries = AnswerOf<'/api/v1/webhooks/deliveries'>;
type Delivery = Deliveries['deliveries'][number];

const COLUMNS: readonly Column<Delivery>[] = [
  { name: 'Queued, UTC', cell: (delivery) => instant(delivery.queued_at) },
  { name: 'Notification', cell: ({ type }) => type },
  {
    name: 'Status',
    cell: ({ status }) => <span class={status === 'failed' ? 'failure' : ''}>{status}</span>,
  },
  { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { name: 'Answer', isNumber: true, cell: (delivery) => orDash(delivery.status_code) },
  { name: 'Failure', cell: ({ failure }) => failure ?? '–' },
  { name: 'Last attempt, UTC', cell: (delivery) => orDash(delivery.attempted_at, instant) },
  {
    name: 'Again',
    cell: ({ id, type }) => (
      <WriteDialog
        opens={`Replay ${type}`}
        explains="The endpoint receives the same message once more."
        label="Replay"
        route={routeOf('/api/v1/webhooks/deliveries/{id}/replay', { id })}
      />
    ),
  },
  { name: 'Next attempt, UTC', cell: (delivery) => orDash(delivery.next_attempt_at, instant) },
];

export default listPage({
  title: 'Deliveries',
  route: '/api/v1/webhooks/deliveries',
  rowsOf: ({ deliveries }) => deliveries,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: 'Nothing was sent: a webhook endpoint receives the notifications that it names.',
});
