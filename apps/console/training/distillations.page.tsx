import { orDash } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Distillation = AnswerOf<'/api/v1/distill/index.php'>['jobs'][number];
type HeldOut = NonNullable<Distillation['held_out_before']>;

const perplexity = (heldOut: HeldOut | null) =>
  orDash(heldOut, ({ perplexity: value }) => count(value));

const COLUMNS: readonly Column<Distillation>[] = [
  { name: 'Submitted, UTC', cell: (job) => instant(job.submitted_at) },
  {
    name: 'Job',
    cell: ({ job_uuid: id, job_name: name }) => (
      <a data-page href={addressOf(`/jobs/${id}`)}>
        {name}
      </a>
    ),
  },
  { name: 'Teacher', cell: (job) => job.teacher_model },
  { name: 'Student', cell: (job) => job.student_base_model },
  { name: 'Status', cell: ({ status }) => status },
  {
    name: 'Steps',
    isNumber: true,
    cell: ({ progress }) => orDash(progress, ({ step, steps }) => `${step} of ${steps}`),
  },
  { name: 'Perplexity before', isNumber: true, cell: (job) => perplexity(job.held_out_before) },
  { name: 'Perplexity after', isNumber: true, cell: (job) => perplexity(job.held_out_after) },
  { name: 'Model', cell: ({ model }) => model ?? '–' },
];

export default listPage({
  title: 'Distillation',
  route: '/api/v1/distill/index.php',
  rowsOf: ({ jobs }) => jobs,
  keyOf: (job) => job.job_uuid,
  columns: COLUMNS,
  empty: (
    <>
      No student was distilled. <code>POST /api/v1/distill/index.php</code> teaches one.
    </>
  ),
});
