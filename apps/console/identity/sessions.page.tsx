import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type Column } from '../shell/table.js';

interface Session {
  readonly session_id: string;
  readonly app_name: string | null;
  readonly device_info: string | null;
  readonly scopes: readonly string[];
  readonly second_factor: string;
  readonly started_at: string;
  readonly expires_at: string;
}

interface Sessions {
  readonly position: string;
  readonly sessions: readonly Session[];
}

const COLUMNS: readonly Column<Session>[] = [
  { name: 'Started, UTC', cell: (session) => instant(session.started_at) },
  { name: 'Ends, UTC', cell: (session) => instant(session.expires_at) },
  { name: 'Program', cell: (session) => session.app_name ?? '–' },
  { name: 'Device', cell: (session) => session.device_info ?? '–' },
  { name: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { name: 'Second factor', cell: (session) => session.second_factor.replaceAll('_', ' ') },
];

export default listPage<Sessions, Session>({
  title: 'Sessions',
  route: '/api/v1/auth/sessions',
  rowsOf: ({ sessions }) => sessions,
  keyOf: (session) => session.session_id,
  columns: COLUMNS,
  empty: 'No session is open: each log-in opens one.',
});
