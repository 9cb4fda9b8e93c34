import { count, instant, usd } from '../shell/figures.js';
import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { Balance } from '../shell/balance.js';
import { addressOf, asOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { Proofs } from '../shell/proofs.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';

type RequestAnswer = AnswerOf<'/api/v1/requests/{id}'>;
type ExplainedEvent = Explanation['events'][number];
type Explanation = AnswerOf<'/api/v1/requests/{id}/explanation'>;

const listOf = (values: readonly string[]): string =>
  values.length === 0 ? '–' : values.join(', ');

const factsOf = (request: RequestAnswer['request']): readonly (readonly [string, string])[] => [
  ['Status', request.reason === null ? request.status : `${request.status}: ${request.reason}`],
  ['Cost, before corrections', usd(request.cost_usd)],
  ['Product', request.product],
  ['Model', request.model ?? '–'],
  ['Routing mode', request.mode ?? '–'],
  ['Rigs', listOf(request.rigs)],
  ['Key', request.key_name ?? '–'],
  ['Tags', listOf(request.tags)],
  ['Priced, UTC', instant(request.placed_at)],
  ['Ended, UTC', instant(request.ended_at)],
  [
    'To the first byte',
    request.first_byte_ms === null ? '–' : `${count(request.first_byte_ms)} ms`,
  ],
  ['In all', `${count(request.total_ms)} ms`],
];

const Facts = ({ request }: RequestAnswer) => (
  <>
    <dl class="figures">
      {factsOf(request).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    <h2>Usage</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Meter</th>
          <th scope="col" class="number">
            Quantity
          </th>
        </tr>
      </thead>
      <tbody>
        {request.usage.map(({ meter, quantity }) => (
          <tr key={meter}>
            <td>{meter}</td>
            <td class="number">{count(quantity)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
);

const Available = ({
  position,
  available_before_usd: before,
  available_after_usd: after,
}: ExplainedEvent) => {
  if (before === null || after === null) return null;
  const positionBefore = String(BigInt(position) - 1n);
  return (
    <>
      {': available '}
      <Balance sum="available" position={positionBefore} amount={before} />
      {' before, '}
      <Balance sum="available" position={position} amount={after} />
      {' after'}
    </>
  );
};

const Ledger = ({ events }: Explanation) => (
  <>
    {events.map((event) => (
      <details key={event.event_id}>
        <summary>
          {event.type} at position {event.position}
          <Available {...event} />
        </summary>
        <p>
          <a data-page href={addressOf('/', { asOf: event.position })}>
            The account at this position
          </a>
        </p>
        <pre>{JSON.stringify(event.facts, null, 2)}</pre>
      </details>
    ))}
  </>
);

const RequestPageView = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const request = usePageRead(() => routeOf('/api/v1/requests/{id}', { id, asOf: asOf.value }));
  const explanation = useRead(() =>
    routeOf('/api/v1/requests/{id}/explanation', { id, asOf: asOf.value }),
  );
  const proven = useRead(() =>
    routeOf('/audit/requests/{request_id}', { request_id: id, asOf: asOf.value }),
  );
  return (
    <>
      <h1>
        Request <code>{parameters['id']}</code>
      </h1>
      <Answered state={request}>{(found) => <Facts {...found} />}</Answered>
      <h2>Ledger</h2>
      <Answered state={explanation}>{(found) => <Ledger {...found} />}</Answered>
      <h2>Proofs</h2>
      <Answered state={proven}>
        {(found) => <Proofs events={found.events} verifierKey={found.verifier_key} />}
      </Answered>
    </>
  );
};

export default RequestPageView;
