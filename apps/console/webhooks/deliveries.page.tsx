import { orDash } from '../shell/facts.js';
import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type Column } from '../shell/table.js';
import { WriteDialog } from '../shell/write-form.js';

interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly status_code: number | null;
  readonly failure: string | null;
  readonly queued_at: string;
  readonly attempted_at: string | null;
  readonly next_attempt_at: string | null;
}

interface Deliveries {
  readonly position: string;
  readonly deliveries: readonly Delivery[];
}

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
        route={`/api/v1/webhooks/deliveries/${id}/replay`}
      />
    ),
  },
  { name: 'Next attempt, UTC', cell: (delivery) => orDash(delivery.next_attempt_at, instant) },
];

export default listPage<Deliveries, Delivery>({
  title: 'Deliveries',
  route: '/api/v1/webhooks/deliveries',
  rowsOf: ({ deliveries }) => deliveries,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: 'Nothing was sent: a webhook endpoint receives the notifications that it names.',
});
