import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { session } from '../shell/session.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { ForOperators } from './for-operators.js';

type FoundRig = AnswerOf<'/api/v1/rigs/{id}'>;
type Certification = NonNullable<FoundRig['rig']['certification']>;
type RigEvent = FoundRig['rig']['history'][number];

const yesNo = (is: boolean): string => (is ? 'yes' : 'no');

const factsOf = ({ rig }: FoundRig): readonly Fact[] => [
  ['State', rig.state],
  ['Kind', rig.kind],
  ['Device', rig.device ?? '–'],
  ['Models', rig.models.join(', ')],
  ['In flight', `${rig.in_flight ?? '–'} of ${rig.max_concurrency ?? '–'}`],
  ['Started, UTC', orDash(rig.started_at, instant)],
  ['Last heard, UTC', orDash(rig.last_heard_at, instant)],
  ['Temperature, °C', orDash(rig.telemetry?.processors.temperature_c, count)],
  ['Power, W', orDash(rig.telemetry?.processors.power_w, count)],
  ['Utilisation, %', orDash(rig.telemetry?.processors.utilisation_pct, count)],
];

const measuredOf = (certification: Certification): readonly Fact[] => {
  const { measurements } = certification;
  return [
    ['Badge', certification.badge],
    ['First token, ms', orDash(measurements.first_token_ms, count)],
    ['Tokens per second', orDash(measurements.tokens_per_second, count)],
    ['Streams at the same time', orDash(measurements.concurrent_streams, count)],
    ['Tokens per second of all', orDash(measurements.tokens_per_second_concurrent, count)],
    ['Same answer twice', orDash(measurements.is_answer_consistent, yesNo)],
    ['Measured, UTC', instant(certification.measured_at)],
    ['Expires, UTC', instant(certification.expires_at)],
  ];
};

const HISTORY: readonly Column<RigEvent>[] = [
  { name: 'At, UTC', cell: ({ at }) => instant(at) },
  { name: 'Event', cell: ({ event }) => event.replaceAll('_', ' ') },
];

const RigPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const isAdmin = session.value?.user?.role === 'Admin';
  const state = usePageRead(() => routeOf('/api/v1/rigs/{id}', { id }));
  return (
    <>
      <h1>Rig {parameters['id']}</h1>
      <OfNow />
      <p>
        <a data-page href={addressOf('/requests', { rig: parameters['id'] ?? '' })}>
          Its requests
        </a>
      </p>
      <Answered state={state}>
        {(found) => (
          <>
            <Facts facts={factsOf(found)} />
            <h2>Certification</h2>
            {found.rig.certification === null ? (
              <p>Never certified: an Admin measures it.</p>
            ) : (
              <>
                <Facts facts={measuredOf(found.rig.certification)} />
                <ul>
                  {found.rig.certification.problems.map(({ quantity, message }) => (
                    <li key={quantity}>
                      {quantity}: {message}
                    </li>
                  ))}
                </ul>
              </>
            )}
            {isAdmin && <ForOperators rig={found.rig} />}
            <h2>History</h2>
            {found.rig.history.length === 0 ? (
              <p>No event of this rig is recorded.</p>
            ) : (
              <Table
                label="History"
                columns={HISTORY}
                rows={found.rig.history}
                keyOf={({ at, event }) => `${at} ${event}`}
              />
            )}
          </>
        )}
      </Answered>
    </>
  );
};

export default RigPage;
