import { orDash } from '../shell/facts.js';
import { count, instantOfSeconds } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type FineTuning = AnswerOf<'/v1/fine_tuning/jobs'>['data'][number];

const COLUMNS: readonly Column<FineTuning>[] = [
  { name: 'Created, UTC', cell: (job) => instantOfSeconds(job.created_at) },
  {
    name: 'Job',
    cell: ({ id }) => (
      <a data-page href={addressOf(`/fine-tunings/${id}`)}>
        {id}
      </a>
    ),
  },
  { name: 'Base', cell: ({ model }) => model },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Model', cell: (job) => job.fine_tuned_model ?? '–' },
  { name: 'Trained tokens', isNumber: true, cell: (job) => orDash(job.trained_tokens, count) },
  { name: 'Ended, UTC', cell: (job) => orDash(job.finished_at, instantOfSeconds) },
];

export default listPage({
  title: 'Fine-tuning',
  route: '/v1/fine_tuning/jobs',
  rowsOf: ({ data }) => data,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: (
    <>
      No model was fine-tuned. Upload a file with the purpose <code>fine-tune</code>, then{' '}
      <code>POST /v1/fine_tuning/jobs</code>.
    </>
  ),
});
