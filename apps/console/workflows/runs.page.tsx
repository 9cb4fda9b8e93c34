import { orDash } from '../shell/facts.js';
import { instant, usdOfMicro } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Runs = AnswerOf<'/api/v1/workflows/runs'>;
type Run = Runs['runs'][number];

const COLUMNS: readonly Column<Run>[] = [
  { name: 'Started, UTC', cell: (run) => instant(run.started_at) },
  {
    name: 'Run',
    cell: ({ run_id: id }) => (
      <a data-page href={addressOf(`/runs/${id}`)}>
        {id}
      </a>
    ),
  },
  {
    name: 'Workflow',
    cell: ({ workflow_id: id, version }) => (
      <a data-page href={addressOf(`/workflows/${id}`, { version: String(version) })}>
        {id}, version {version}
      </a>
    ),
  },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Charged', isNumber: true, cell: (run) => orDash(run.amount_micro_usd, usdOfMicro) },
  { name: 'Ended, UTC', cell: (run) => orDash(run.ended_at, instant) },
];

export default listPage({
  title: 'Runs',
  route: '/api/v1/workflows/runs',
  rowsOf: ({ runs }) => runs,
  keyOf: (run) => run.run_id,
  columns: COLUMNS,
  empty: (
    <>
      No run yet. <code>POST /api/v1/workflows/run</code> starts one.
    </>
  ),
});
