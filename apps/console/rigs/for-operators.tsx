import { Answered, useRead } from '../shell/answer.js';
import { monthStart, today } from '../shell/days.js';
import { Facts, orDash } from '../shell/facts.js';
import { instant } from '../shell/figures.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { WriteDialog } from '../shell/write-form.js';
import { Breaker, percent, sinceOf } from './breaker.js';
import { MARGIN_COLUMNS, type MarginRow } from './margin-row.js';

type Rig = AnswerOf<'/api/v1/rigs/{id}'>['rig'];

interface RigProps {
  readonly rig: Rig;
}

const Health = ({ rig: { name } }: RigProps) => {
  const state = useRead(() => routeOf('/api/v1/routing'));
  return (
    <Answered state={state}>
      {({ rigs }) => {
        const rig = rigs.find((one) => one.rig === name);
        if (!rig) return <p>This gateway has not asked the rig yet.</p>;
        return (
          <Facts
            facts={[
              ['Circuit breaker', <Breaker key="breaker" rig={rig} />],
              ['Since, UTC', sinceOf(rig)],
              ['Next trial, UTC', orDash(rig.trial_at, instant)],
              ['Requests that failed lately', percent(rig.error_rate)],
              ['Last failure', rig.last_failure ?? '–'],
            ]}
          />
        );
      }}
    </Answered>
  );
};

const COLUMNS: readonly Column<MarginRow>[] = [
  { name: 'Model', cell: ({ model }) => model ?? '(none)' },
  ...MARGIN_COLUMNS,
];

const CostAndPrice = ({ rig: { name } }: RigProps) => {
  const state = useRead(() =>
    routeOf('/api/v1/margin', { from: monthStart(), to: today(), by: 'model', rig: name }),
  );
  return (
    <Answered state={state}>
      {({ rows }) =>
        rows.length === 0 ? (
          <p>No charge and no attempt of this rig in this month. A chat makes both.</p>
        ) : (
          <Table
            label="Cost and price by model"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ model }) => model ?? ''}
          />
        )
      }
    </Answered>
  );
};

/** Drains the rig of a worker, which ends with its process; certifies any. */
const Writes = ({ rig: { id, source, state } }: RigProps) => (
  <p class="buttons">
    <WriteDialog
      opens="Certify"
      label="Certify the rig"
      route={routeOf('/api/v1/rigs/{name}/certifications', { name: id })}
      explains="A job measures the rig, free of charge and behind the requests of callers."
      done={({ job_id: job }) => (
        <p>
          <a data-page href={addressOf(`/jobs/${job}`)}>
            The job that measures it
          </a>
        </p>
      )}
    />
    {source === 'worker' && state === 'up' && (
      <WriteDialog
        opens="Drain"
        label="Drain the rig"
        route={routeOf('/api/v1/rigs/{id}/drain', { id })}
        explains="It finishes what runs and takes no more tasks, until its worker starts again."
      />
    )}
  </p>
);

/** The parts of a rig's page that its routes give to Admins alone. */
export const ForOperators = ({ rig }: RigProps) => (
  <>
    <Writes rig={rig} />
    <h2>Routing</h2>
    <Health rig={rig} />
    <p class="pages">
      <a data-page href={addressOf('/events', { stream: `rig-${rig.name}` })}>
        Events of its certifications
      </a>
      <a data-page href={addressOf('/routing', rig.models[0] ? { model: rig.models[0] } : {})}>
        How it ranks
      </a>
    </p>
    <h2>Cost and price, this month</h2>
    <CostAndPrice rig={rig} />
  </>
);
