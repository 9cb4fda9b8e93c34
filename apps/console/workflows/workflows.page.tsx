import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Workflows = AnswerOf<'/api/v1/workflows'>;
type Workflow = Workflows['workflows'][number];

const COLUMNS: readonly Column<Workflow>[] = [
  {
    name: 'Workflow',
    cell: ({ workflow_id: id, name }) => (
      <a data-page href={addressOf(`/workflows/${id}`)}>
        {name}
      </a>
    ),
  },
  { name: 'Id', isNumber: true, cell: (workflow) => workflow.workflow_id },
  { name: 'Version', isNumber: true, cell: ({ version }) => version },
  { name: 'Created, UTC', cell: (workflow) => instant(workflow.created_at) },
  { name: 'Changed, UTC', cell: (workflow) => instant(workflow.versioned_at) },
];

export default listPage({
  title: 'Workflows',
  route: '/api/v1/workflows',
  rowsOf: ({ workflows }) => workflows,
  keyOf: (workflow) => workflow.workflow_id,
  columns: COLUMNS,
  empty: (
    <>
      No workflow yet. <code>POST /api/v1/workflows</code> stores a definition, and{' '}
      <code>GET /api/v1/workflows/node_kinds</code> lists the kinds of its nodes.
    </>
  ),
});
