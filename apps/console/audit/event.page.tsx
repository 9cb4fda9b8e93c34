import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts } from '../shell/facts.js';
import { instant } from '../shell/figures.js';
import { addressOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { Proofs } from '../shell/proofs.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';

type FoundEvent = AnswerOf<'/audit/events/{position}'>;

const factsOf = ({ event }: FoundEvent): readonly Fact[] => [
  ['Type', event.type],
  ['Recorded, UTC', instant(event.recorded_at)],
  [
    'Stream',
    <a key="stream" data-page href={addressOf('/events', { stream: event.stream })}>
      {event.stream}
    </a>,
  ],
  ['Revision', event.revision],
  ['Actor', event.actor],
  ['Event', <code key="event">{event.event_id}</code>],
  ['Caused by', <code key="cause">{event.causation_id}</code>],
  [
    'Request',
    <a key="request" data-page href={addressOf(`/causation/${event.request_id}`)}>
      {event.request_id}
    </a>,
  ],
];

const EventPage = ({ parameters }: PageProps) => {
  const position = parameters['position'] ?? '';
  const state = usePageRead(() => routeOf('/audit/events/{position}', { position }));
  return (
    <>
      <h1>Event {parameters['position']}</h1>
      <Answered state={state}>
        {(found) => (
          <>
            <Facts facts={factsOf(found)} />
            <h2>Data</h2>
            <pre tabIndex={0}>{JSON.stringify(found.data, null, 2)}</pre>
            <p>
              <a data-page href={addressOf('/', { asOf: found.event.position })}>
                Your account at this position
              </a>
            </p>
            <h2>Proof</h2>
            <Proofs events={[found.event]} verifierKey={found.verifier_key} />
          </>
        )}
      </Answered>
    </>
  );
};

export default EventPage;
