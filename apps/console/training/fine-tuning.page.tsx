import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { Lines } from '../shell/charts.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instantOfSeconds } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { type PageProps } from '../shell/page.js';
import { routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { type FineTuning, lossesOf, type TrainingEvent } from './fine-tuning.js';

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

const Progress = ({ data }: { readonly data: readonly TrainingEvent[] }) => {
  const lines = lossesOf(data);
  return (
    <>
      <h2>Loss</h2>
      {lines.length === 0 ? (
        <p>No loss is measured yet.</p>
      ) : (
        <Lines label="Loss by step" lines={lines} />
      )}
      <h2>Last events</h2>
      <Table label="Events" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
    </>
  );
};

const FineTuningPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
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
      <Answered state={events}>{(found) => <Progress {...found} />}</Answered>
    </>
  );
};

export default FineTuningPage;
