import { orDash } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { type ListAnswer, listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type Column } from '../shell/table.js';

interface HeldOut {
  readonly perplexity: number;
}

interface Distillation {
  readonly job_uuid: string;
  readonly job_name: string;
  readonly teacher_model: string;
  readonly student_base_model: string;
  readonly status: string;
  readonly progress: { readonly step: number; readonly steps: number } | null;
  readonly held_out_before: HeldOut | null;
  readonly held_out_after: HeldOut | null;
  readonly model: string | null;
  readonly submitted_at: string;
}

interface Distillations extends ListAnswer {
  readonly jobs: readonly Distillation[];
}

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

export default listPage<Distillations, Distillation>({
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
