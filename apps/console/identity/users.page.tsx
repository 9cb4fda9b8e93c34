import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type User = AnswerOf<'/api/v1/users'>['users'][number];

const COLUMNS: readonly Column<User>[] = [
  { name: 'Id', isNumber: true, cell: (user) => user.user_id },
  { name: 'Name', cell: ({ username }) => username ?? 'erased' },
  { name: 'E-mail', cell: ({ email }) => email ?? 'erased' },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Second factor', cell: (user) => (user.two_factor_enabled ? 'on' : 'off') },
  { name: 'Registered, UTC', cell: (user) => instant(user.registered_at) },
  {
    name: 'Account',
    cell: ({ account_id: account }) => (
      <a data-page href={addressOf('/events', { stream: `account-${account}` })}>
        {account}
      </a>
    ),
  },
];

export default listPage({
  title: 'Users',
  route: '/api/v1/users',
  isTimed: true,
  rowsOf: ({ users }) => users,
  keyOf: (user) => user.user_id,
  columns: COLUMNS,
  empty: (
    <>
      There is no user at this position. <code>quipu user create</code> adds one.
    </>
  ),
});
