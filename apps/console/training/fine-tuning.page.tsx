import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instantOfSeconds } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { LiveLosses } from '../shell/loss-chart.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { jobIdOf } from './fine-tuning.js';

type FineTuning = AnswerOf<'/v1/fine_tuning/jobs/{id}'>;
type TrainingEvent = AnswerOf<'/v1/fine_tuning/jobs/{id}/events'>['data'][number];

const factsOf = (job: FineTuning): readonly Fact[] => [
  ['Status', job.error === null ? job.status : `${job.status}: ${job.error.message}`],
  ['Base', job.model],
  ['Model', job.fine_tuned_model ?? '–'],
  ['Trained tokens', orDash(job.trained_tokens, count)],
  ['Seed', job.seed],
  ...Object.entries(job.hyperparameters).map(([name, value]): Fact => [
    name.replaceAll('_', ' '),
    value,
  ]),
];

const COLUMNS: readonly Column<TrainingEvent>[] = [
  { name: 'At, UTC', cell: (event) => instantOfSeconds(event.created_at) },
  { name: 'Event', cell: ({ message }) => message },
];

const EVENTS_SHOWN = '100';

const FineTuningPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const jobId = jobIdOf(id);
  const job = usePageRead(() => routeOf('/v1/fine_tuning/jobs/{id}', { id }));
  const events = useRead(() =>
    routeOf('/v1/fine_tuning/jobs/{id}/events', { id, limit: EVENTS_SHOWN }),
  );
  return (
    <>
      <h1>
        Fine-tuning <code>{parameters['id']}</code>
      </h1>
      <OfNow />
      <Answered state={job}>{(found) => <Facts facts={factsOf(found)} />}</Answered>
      {jobId !== undefined && <LiveLosses id={jobId} />}
      <h2>Last events</h2>
      <Answered state={events}>
        {({ data }) => (
          <Table label="Events" columns={COLUMNS} rows={data} keyOf={(event) => event.id} />
        )}
      </Answered>
    </>
  );
};

export default FineTuningPage;
