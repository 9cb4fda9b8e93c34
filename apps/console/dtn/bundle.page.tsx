import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { bytes, instant } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { Gantt } from './gantt.js';

type Bundle = AnswerOf<'/api/v1/dtn/bundles/{id}'>['bundle'];
type BundleEvent = Bundle['history'][number];

const HISTORY: readonly Column<BundleEvent>[] = [
  { name: 'At, UTC', cell: ({ at }) => instant(at) },
  { name: 'Event', cell: ({ event }) => event.replaceAll('_', ' ') },
];

const factsOf = (bundle: Bundle): readonly Fact[] => [
  ['Status', [bundle.status, bundle.rejection_reason].filter((one) => one !== null).join(': ')],
  ['From', bundle.source_eid],
  ['To', bundle.destination_eid],
  ['Priority', bundle.priority],
  ['Size', bytes(bundle.payload_bytes)],
  ['Next hop', bundle.next_hop ?? '–'],
  ['Accepted, UTC', instant(bundle.accepted_at)],
  ['Expires, UTC', orDash(bundle.expires_at, instant)],
];

const BundlePage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() => routeOf('/api/v1/dtn/bundles/{id}', { id }));
  return (
    <>
      <h1>
        Bundle <code>{parameters['id']}</code>
      </h1>
      <OfNow />
      <Answered state={state}>
        {({ bundle }) => (
          <>
            <Facts facts={factsOf(bundle)} />
            <h2>Route</h2>
            {bundle.route.length === 0 ? (
              <p>No route is known: a contact that leads there makes one.</p>
            ) : (
              <Gantt
                label="The hops of the route over time"
                intervals={bundle.route.map((hop) => ({
                  row: `${hop.from} → ${hop.to}`,
                  startsAt: hop.sends_at,
                  endsAt: hop.arrives_at,
                }))}
              />
            )}
            <h2>History</h2>
            <Table
              label="History"
              columns={HISTORY}
              rows={bundle.history}
              keyOf={({ event, at }) => `${event} ${at}`}
            />
          </>
        )}
      </Answered>
    </>
  );
};

export default BundlePage;
