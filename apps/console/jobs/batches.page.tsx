import { Bar } from '../shell/charts.js';
import { orDash } from '../shell/facts.js';
import { count, instantOfSeconds } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Batches = AnswerOf<'/v1/batches'>;
type Batch = Batches['data'][number];

const Content = ({ file }: { readonly file: string }) => (
  <a download href={`/v1/files/${file}/content`}>
    {file}
  </a>
);

const COLUMNS: readonly Column<Batch>[] = [
  { name: 'Created, UTC', cell: (batch) => instantOfSeconds(batch.created_at) },
  { name: 'Batch', cell: ({ id }) => <code>{id}</code> },
  { name: 'Route', cell: ({ endpoint }) => endpoint },
  { name: 'Model', cell: ({ model }) => model ?? '–' },
  { name: 'Status', cell: ({ status }) => status },
  {
    name: 'Done',
    cell: ({ request_counts: { total, completed, failed } }) => (
      <Bar share={total === 0 ? 0 : (completed + failed) / total} />
    ),
  },
  { name: 'Lines', isNumber: true, cell: (batch) => count(batch.request_counts.total) },
  { name: 'Failed', isNumber: true, cell: (batch) => count(batch.request_counts.failed) },
  { name: 'Completed, UTC', cell: (batch) => orDash(batch.completed_at, instantOfSeconds) },
  {
    name: 'Answers',
    cell: (batch) => orDash(batch.output_file_id, (file) => <Content file={file} />),
  },
  {
    name: 'Errors',
    cell: (batch) => orDash(batch.error_file_id, (file) => <Content file={file} />),
  },
];

export default listPage({
  title: 'Batches',
  route: '/v1/batches',
  rowsOf: ({ data }) => data,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: (
    <>
      No batch yet. Upload a file with the purpose <code>batch</code>, then{' '}
      <code>POST /v1/batches</code>.
    </>
  ),
});
