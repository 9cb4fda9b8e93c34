import { Bar } from '../shell/charts.js';
import { orDash } from '../shell/facts.js';
import { instant, usdOfMicro } from '../shell/figures.js';
import { type Filter } from '../shell/filters.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf, type QueryOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Job = AnswerOf<'/api/v1/jobs'>['jobs'][number];

const STATES = [
  'waiting',
  'queued',
  'dispatched',
  'running',
  'paused',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
] satisfies readonly Job['state'][];

const FILTERS: readonly Filter<QueryOf<'/api/v1/jobs'>>[] = [
  { name: 'type', label: 'Type' },
  { name: 'state', label: 'State', choices: STATES },
];

const COLUMNS: readonly Column<Job>[] = [
  { name: 'Submitted, UTC', cell: (job) => instant(job.submitted_at) },
  {
    name: 'Job',
    cell: ({ id }) => (
      <a data-page href={addressOf(`/jobs/${id}`)}>
        {id}
      </a>
    ),
  },
  { name: 'Type', cell: ({ type }) => type },
  {
    name: 'State',
    cell: ({ state }) => <span class={state === 'failed' ? 'failure' : ''}>{state}</span>,
  },
  {
    name: 'Progress',
    cell: ({ progress }) =>
      progress?.total ? <Bar share={progress.done / progress.total} /> : '–',
  },
  {
    name: 'Charged',
    isNumber: true,
    cell: ({ charge }) => orDash(charge?.amount_micro_usd, usdOfMicro),
  },
  { name: 'Ended, UTC', cell: (job) => orDash(job.ended_at, instant) },
];

export default listPage({
  title: 'Jobs',
  route: '/api/v1/jobs',
  filters: FILTERS,
  rowsOf: ({ jobs }) => jobs,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: (
    <>
      No job here. Long work is a job: a fine-tuning, a rental, a package, a transcription of a long
      recording.
    </>
  ),
});
