import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';
import { textIn, WriteDialog } from '../shell/write-form.js';

type Webhooks = AnswerOf<'/api/v1/webhooks'>;
type Webhook = Webhooks['webhooks'][number];

const Register = ({ types }: { readonly types: readonly string[] }) => (
  <WriteDialog
    opens="Register an endpoint"
    explains="It receives what happens from then on. The secret of its signatures is shown once."
    label="Register"
    route={routeOf('/api/v1/webhooks')}
    bodyOf={(form) => ({ url: textIn(form, 'url'), types: form.getAll('types') })}
    done={({ secret }) => <pre tabIndex={0}>{secret}</pre>}
  >
    <label>
      Address
      <input name="url" type="url" required maxLength={2048} />
    </label>
    <label>
      Notifications, all unless chosen
      <select name="types" multiple size={6}>
        {types.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
    </label>
  </WriteDialog>
);

const Remove = ({ id, url }: Webhook) => (
  <WriteDialog
    opens={`Remove ${url ?? id}`}
    explains="The endpoint receives nothing more. Waiting messages are cancelled."
    label="Remove"
    method="DELETE"
    route={routeOf('/api/v1/webhooks/{id}', { id })}
  />
);

const COLUMNS: readonly Column<Webhook>[] = [
  { name: 'Address', cell: ({ url }) => url ?? 'hidden' },
  { name: 'Format', cell: ({ format }) => format },
  { name: 'Notifications', cell: ({ types }) => types.join(', ') },
  { name: 'Created, UTC', cell: (webhook) => instant(webhook.created_at) },
  { name: 'Id', cell: ({ id }) => <code>{id}</code> },
  { name: 'End it', cell: (webhook) => <Remove {...webhook} /> },
];

export default listPage({
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
    <>
      <Register types={types} />
      <details>
        <summary>{types.length} notifications</summary>
        <p>{types.join(', ')}</p>
      </details>
    </>
  ),
});
