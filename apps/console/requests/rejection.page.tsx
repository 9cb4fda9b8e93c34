import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { addressOf, asOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { session } from '../shell/session.js';
import { type Column, Table } from '../shell/table.js';
import { namedFacts } from './facts-of.js';

type Rejection = NonNullable<AnswerOf<'/api/v1/requests/{id}/explanation'>['rejection']>;
type NamedFact = readonly [name: string, value: string];

const COLUMNS: readonly Column<NamedFact>[] = [
  { name: 'Fact', cell: ([name]) => <code>{name}</code> },
  { name: 'Value', cell: ([, value]) => value },
];

/** The explorer of events is for Admins; others see their account at the position. */
const Place = ({ position }: { readonly position: string }) => {
  const isAdmin = session.value?.user?.role === 'Admin';
  const page = isAdmin ? `/events/${position}` : '/';
  return (
    <a data-page href={addressOf(page, isAdmin ? {} : { asOf: position })}>
      {position}
    </a>
  );
};

const factsOf = ({ evidence, ...rejection }: Rejection): readonly Fact[] => [
  ['Code', rejection.code],
  ['Rejected, UTC', instant(rejection.rejected_at)],
  ['It would have held at most', orDash(rejection.asked_usd, usd)],
  ['Events count up to position', rejection.position],
  ['Available then', orDash(evidence?.available_usd, usd)],
  [
    'As the event at position',
    orDash(evidence?.position, (position) => <Place position={position} />),
  ],
];

const FactTable = ({ label, facts }: { readonly label: string; readonly facts: object }) => (
  <>
    <h2>{label}</h2>
    <Table label={label} columns={COLUMNS} rows={namedFacts(facts)} keyOf={([name]) => name} />
  </>
);

const RejectionPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() =>
    routeOf('/api/v1/requests/{id}/explanation', { id, asOf: asOf.value }),
  );
  return (
    <>
      <h1>
        Why request <code>{parameters['id']}</code> was rejected
      </h1>
      <Answered state={state}>
        {({ rejection }) =>
          rejection === null ? (
            <p>
              It was not rejected:{' '}
              <a data-page href={addressOf(`/requests/${id}`)}>
                the request
              </a>
              .
            </p>
          ) : (
            <>
              <p>{rejection.message}</p>
              <Facts facts={factsOf(rejection)} />
              <FactTable label="Facts of the decision" facts={rejection.facts} />
              {rejection.asked && <FactTable label="The request" facts={rejection.asked} />}
            </>
          )
        }
      </Answered>
    </>
  );
};

export default RejectionPage;
