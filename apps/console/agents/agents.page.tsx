import { Bar } from '../shell/charts.js';
import { orDash } from '../shell/facts.js';
import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type AgentSession = AnswerOf<'/api/v1/agents/sessions'>['sessions'][number];

const COLUMNS: readonly Column<AgentSession>[] = [
  { name: 'Created, UTC', cell: (session) => instant(session.created_at) },
  {
    name: 'Goal',
    cell: ({ session_id: id, goal }) => (
      <a data-page href={addressOf(`/agents/${id}`)}>
        {goal ?? id}
      </a>
    ),
  },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Model', cell: (session) => session.planner_model },
  { name: 'Steps', isNumber: true, cell: (one) => `${one.total_steps} of ${one.max_steps}` },
  {
    name: 'Tokens',
    cell: (session) => <Bar share={session.tokens_consumed / session.max_token_budget} />,
  },
  { name: 'Ended, UTC', cell: (session) => orDash(session.ended_at, instant) },
];

export default listPage({
  title: 'Agents',
  route: '/api/v1/agents/sessions',
  rowsOf: ({ sessions }) => sessions,
  keyOf: (session) => session.session_id,
  columns: COLUMNS,
  empty: (
    <>
      No agent has run. <code>POST /api/v1/agents/orchestrate</code> gives one a goal and a budget.
    </>
  ),
});
