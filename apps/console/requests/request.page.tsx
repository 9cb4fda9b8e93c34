import { count, instant, usd } from '../shell/figures.js';
import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { routeOf } from '../shell/api.js';
import { Balance } from '../shell/balance.js';
import { addressOf, asOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { Proofs, type ProvenEvent } from '../shell/proofs.js';
import { type AccountRequest } from './account-request.js';

interface RequestAnswer {
  readonly position: string;
  readonly request: AccountRequest;
}

interface ProvenRequest {
  readonly verifier_key: string;
  readonly events: readonly ProvenEvent[];
}

interface ExplainedEvent {
  readonly event_id: string;
  readonly type: string;
  readonly position: string;
  readonly recorded_at: string;
  readonly available_before_usd: number | null;
  readonly available_after_usd: number | null;
  readonly facts: object;
}

interface Explanation {
  readonly events: readonly ExplainedEvent[];
}

const listOf = (values: readonly string[]): string =>
  values.length === 0 ? '–' : values.join(', ');

const factsOf = (request: AccountRequest): readonly (readonly [string, string])[] => [
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
  const id = encodeURIComponent(parameters['id'] ?? '');
  const request = usePageRead<RequestAnswer>(() =>
    routeOf(`/api/v1/requests/${id}`, { asOf: asOf.value }),
  );
  const explanation = useRead<Explanation>(() =>
    routeOf(`/api/v1/requests/${id}/explanation`, { asOf: asOf.value }),
  );
  const proven = useRead<ProvenRequest>(() =>
    routeOf(`/audit/requests/${id}`, { asOf: asOf.value }),
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
