import { instant, usd } from '../shell/figures.js';
import { type Filter } from '../shell/filters.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';
import { partnerAsked } from './partner.js';

type SubUser = AnswerOf<'/api/v1/partners/subusers.php'>['sub_users'][number];

const PARTNER: Filter<'partner_id'> = { name: 'partner', field: 'partner_id', label: 'Partner' };

const COLUMNS: readonly Column<SubUser>[] = [
  { name: 'User', cell: ({ user_id: id, username }) => username ?? `user ${id}, erased` },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Joined, UTC', cell: (user) => instant(user.joined_at) },
  { name: 'Charged this month', isNumber: true, cell: (user) => usd(user.monthly_volume_usd) },
  { name: 'Earned this month', isNumber: true, cell: (user) => usd(user.reseller_earnings_usd) },
  { name: 'Charged in all', isNumber: true, cell: (user) => usd(user.lifetime_volume_usd) },
  { name: 'Earned in all', isNumber: true, cell: (user) => usd(user.lifetime_earnings_usd) },
];

const List = listPage({
  title: 'Users of a reseller',
  route: '/api/v1/partners/subusers.php',
  isTimed: true,
  filters: [PARTNER],
  rowsOf: (answer) => answer.sub_users,
  keyOf: (user) => user.user_id,
  columns: COLUMNS,
  empty: (
    <>
      No user belongs to this partner. <code>POST /api/v1/partners/subusers.php</code> adds one.
    </>
  ),
});

const UsersPage = () =>
  partnerAsked() === null ? (
    <>
      <h1>Users of a reseller</h1>
      <p>
        Choose one of the{' '}
        <a data-page href={addressOf('/partners')}>
          partners
        </a>
        .
      </p>
    </>
  ) : (
    <List />
  );

export default UsersPage;
