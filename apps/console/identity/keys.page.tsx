import { orDash } from '../shell/facts.js';
import { usd } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';
import { textIn, WriteDialog } from '../shell/write-form.js';

type Keys = AnswerOf<'/api/v1/auth/keys'>;
type Key = Keys['keys'][number];

/** An absent list has no limit; an empty one admits nothing. */
const limitsOf = ({ models, routes, ip_ranges: ranges }: Key): string => {
  const limits = [
    ['models', models],
    ['routes', routes],
    ['addresses', ranges],
  ] as const;
  const shown = limits.flatMap(([name, list]) =>
    list === null ? [] : [`${name}: ${list.join(', ') || 'none'}`],
  );
  return shown.join('; ') || 'none';
};

const SCOPES = ['inference', 'read_billing', 'manage_keys', 'manage_money', 'operate'];

const Issue = () => (
  <WriteDialog
    opens="Issue a key"
    explains="The key is shown once. Its requests are charged to your account."
    label="Issue"
    route={routeOf('/api/v1/auth/keys')}
    bodyOf={(form) => ({ name: textIn(form, 'name'), scopes: form.getAll('scopes') })}
    done={({ api_key: key }) => <pre tabIndex={0}>{key}</pre>}
  >
    <label>
      Name
      <input name="name" required maxLength={64} />
    </label>
    <fieldset>
      <legend>Scopes</legend>
      {SCOPES.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            name="scopes"
            value={scope}
            defaultChecked={scope === 'inference'}
          />
          {scope}
        </label>
      ))}
    </fieldset>
  </WriteDialog>
);

const Revoke = ({ id, name }: Key) => (
  <WriteDialog
    opens={`Revoke ${name}`}
    explains="The key becomes invalid at once. Its requests that run are answered."
    label="Revoke"
    method="DELETE"
    route={routeOf('/api/v1/auth/keys/{id}', { id })}
  />
);

const COLUMNS: readonly Column<Key>[] = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Id', cell: ({ id }) => <code>{id}</code> },
  { name: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { name: 'Limits', cell: limitsOf },
  { name: 'Created, UTC', cell: (key) => key.created_at },
  { name: 'Last used, UTC', cell: (key) => orDash(key.last_used_at) },
  { name: 'Ends, UTC', cell: (key) => key.expires_at ?? 'never' },
  { name: 'Charged', isNumber: true, cell: (key) => usd(key.charged_usd) },
  { name: 'End it', cell: (key) => <Revoke {...key} /> },
];

export default listPage({
  title: 'Keys',
  route: '/api/v1/auth/keys',
  rowsOf: ({ keys }) => keys,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  above: () => <Issue />,
  empty: (
    <>
      You have no key. <code>quipu key create</code> issues one.
    </>
  ),
});
