import { Answered, usePageRead } from '../shell/answer.js';
import { Bar } from '../shell/charts.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instant, usdOfMicro } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { LiveLosses } from '../shell/loss-chart.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { WriteDialog } from '../shell/write-form.js';

type Job = AnswerOf<'/api/v1/jobs/{id}'>['job'];
type Usage = Job['usage'][number];

const USAGE: readonly Column<Usage>[] = [
  { name: 'Step', cell: ({ step }) => step },
  { name: 'Rig', cell: ({ rig }) => rig },
  { name: 'Meter', cell: ({ meter }) => meter },
  { name: 'Quantity', isNumber: true, cell: ({ quantity }) => count(quantity) },
];

const Links = ({ ids }: { readonly ids: readonly string[] }) =>
  ids.length === 0 ? (
    <>–</>
  ) : (
    <>
      {ids.map((id) => (
        <a key={id} data-page href={addressOf(`/jobs/${id}`)}>
          {id}
        </a>
      ))}
    </>
  );

const progressOf = ({ progress }: Job) => {
  if (progress === null) return '–';
  const { done, total } = progress;
  if (total === null) return count(done);
  return (
    <>
      {count(done)} of {count(total)} <Bar share={done / total} />
    </>
  );
};

const factsOf = (job: Job): readonly Fact[] => [
  ['State', job.error === null ? job.state : `${job.state}: ${job.error.message}`],
  ['Type', job.type],
  ['Progress', progressOf(job)],
  ['Attempt', `${job.attempt} of ${job.attempts_max}`],
  ['Charged', orDash(job.charge?.amount_micro_usd, usdOfMicro)],
  ['After the jobs', <Links key="after" ids={job.after} />],
  ['Part of', <Links key="parent" ids={job.parent_id === null ? [] : [job.parent_id]} />],
  ['Submitted, UTC', instant(job.submitted_at)],
  ['Started, UTC', orDash(job.started_at, instant)],
  ['Ended, UTC', orDash(job.ended_at, instant)],
];

const JobPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() => routeOf('/api/v1/jobs/{id}', { id }));
  return (
    <>
      <h1>
        Job <code>{parameters['id']}</code>
      </h1>
      <OfNow />
      <Answered state={state}>
        {({ job }) => (
          <>
            <Facts facts={factsOf(job)} />
            {job.ended_at === null && (
              <WriteDialog
                opens="Cancel the job"
                explains="The job ends as soon as it can. The work that is done is charged."
                label="Cancel the job"
                route={routeOf('/api/v1/jobs/{id}/cancel', { id })}
              />
            )}
            <LiveLosses id={job.id} />
            <h2>Usage</h2>
            {job.usage.length === 0 ? (
              <p>Nothing is metered yet.</p>
            ) : (
              <Table
                label="Usage"
                columns={USAGE}
                rows={job.usage}
                keyOf={(usage) => JSON.stringify(usage)}
              />
            )}
            <h2>Order</h2>
            <pre tabIndex={0}>{JSON.stringify(job.summary, null, 2)}</pre>
            <h2>Result</h2>
            {job.result === null ? (
              <p>There is no result yet.</p>
            ) : (
              <pre tabIndex={0}>{JSON.stringify(job.result.summary, null, 2)}</pre>
            )}
          </>
        )}
      </Answered>
    </>
  );
};

export default JobPage;
