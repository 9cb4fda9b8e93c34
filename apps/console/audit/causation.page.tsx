import { Answered, usePageRead } from '../shell/answer.js';
import { instant } from '../shell/figures.js';
import { addressOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { Proofs } from '../shell/proofs.js';
import { routeOf } from '../shell/routes.js';
import { type Effect, effectsOf } from './causation.js';

/** The events that follow from an event are below it. */
const Effects = ({ effects }: { readonly effects: readonly Effect[] }) => (
  <ul>
    {effects.map(({ event, effects: next }) => (
      <li key={event.event_id}>
        <a data-page href={addressOf(`/events/${event.position}`)}>
          {event.type}
        </a>{' '}
        in <code>{event.stream}</code> by {event.actor}, {instant(event.recorded_at)}
        {next.length > 0 && <Effects effects={next} />}
      </li>
    ))}
  </ul>
);

const CausationPage = ({ parameters }: PageProps) => {
  const request = parameters['request'] ?? '';
  const state = usePageRead(() => routeOf('/audit/requests/{request_id}', { request_id: request }));
  return (
    <>
      <h1>
        Events of request <code>{parameters['request']}</code>
      </h1>
      <Answered state={state}>
        {({ events, verifier_key: verifierKey }) => (
          <>
            <Effects effects={effectsOf(events)} />
            <h2>Proofs</h2>
            <Proofs events={events} verifierKey={verifierKey} />
          </>
        )}
      </Answered>
    </>
  );
};

export default CausationPage;
