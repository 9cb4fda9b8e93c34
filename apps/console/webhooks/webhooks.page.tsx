import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type Column } from '../shell/table.js';

interface Webhook {
  readonly id: string;
  readonly url: string | null;
  readonly types: readonly string[];
  readonly format: string;
  readonly created_at: string;
}

interface Webhooks {
  readonly position: string;
  readonly webhooks: readonly Webhook[];
  readonly available_types: readonly string[];
}

const COLUMNS: readonly Column<Webhook>[] = [
  { name: 'Address', cell: ({ url }) => url ?? 'hidden' },
  { name: 'Format', cell: ({ format }) => format },
  { name: 'Notifications', cell: ({ types }) => types.join(', ') },
  { name: 'Created, UTC', cell: (webhook) => instant(webhook.created_at) },
  { name: 'Id', cell: ({ id }) => <code>{id}</code> },
];

export default listPage<Webhooks, Webhook>({
  title: 'Webhooks',
  route: '/api/v1/webhooks',
  rowsOf: ({ webhooks }) => webhooks,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: (
    <>
      No endpoint receives notifications. <code>POST /api/v1/webhooks</code> registers one.
    </>
  ),
  above: ({ available_types: types }) => (
    <details>
      <summary>{types.length} notifications</summary>
      <p>{types.join(', ')}</p>
    </details>
  ),
});
