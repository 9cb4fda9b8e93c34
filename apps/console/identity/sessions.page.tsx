import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Sessions = AnswerOf<'/api/v1/auth/sessions'>;
type Session = Sessions['sessions'][number];

const COLUMNS: readonly Column<Session>[] = [
  { name: 'Started, UTC', cell: (session) => instant(session.started_at) },
  { name: 'Ends, UTC', cell: (session) => instant(session.expires_at) },
  { name: 'Program', cell: (session) => session.app_name ?? '–' },
  { name: 'Device', cell: (session) => session.device_info ?? '–' },
  { name: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { name: 'Second factor', cell: (session) => session.second_factor.replaceAll('_', ' ') },
];

export default listPage({
  title: 'Sessions',
  route: '/api/v1/auth/sessions',
  rowsOf: ({ sessions }) => sessions,
  keyOf: (session) => session.session_id,
  columns: COLUMNS,
  empty: 'No session is open: each log-in opens one.',
});
