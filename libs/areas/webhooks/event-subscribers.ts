import {
  WebhookEndpointCreated,
  type WebhookEndpointCreated as Created,
} from '#events/webhooks/webhook.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  waitingDeliveries,
  waitingOf,
} from '#projections/webhooks/waiting-deliveries.projection.js';
import { webhookEndpoints } from '#projections/webhooks/webhook-endpoints.projection.js';

/** Messages about the events of one minute to the endpoints of one account. */
export const EVENT_MESSAGES_A_MINUTE = 600;
/** An endpoint that so many messages wait for gets no event until some are sent or given up. */
export const WAITING_MAX = 1_000;

const MINUTE = 'YYYY-MM-DDTHH:MM'.length;

interface SubscriberPorts {
  readonly projections: Pick<Projections, 'list' | 'count'>;
  readonly eventStore: Pick<EventStore, 'readAll'>;
  readonly codec: EventCodec;
}

/**
 * The accounts with an endpoint that asks for events, so that the events of all others cost a
 * look-up in memory, and how many messages they had in the current minute of the log.
 */
export class EventSubscribers {
  readonly #accounts = new Set<string>();
  #minute = '';
  #counts = new Map<string, number>();
  #skipped = new Set<string>();
  /** By endpoint, as counted for the current batch. */
  readonly #waiting = new Map<string, number>();

  constructor(
    private readonly events: { has(type: string): boolean },
    private readonly ports: SubscriberPorts,
  ) {}

  /** From the read model, and from the log behind it. */
  async load(): Promise<void> {
    const { projections, eventStore, codec } = this.ports;
    let after: bigint | undefined;
    for await (const page of projectionPages(projections, webhookEndpoints)) {
      after ??= page.position;
      for (const { document } of page.documents) if (document.endpoint) this.add(document.endpoint);
    }
    const filter = { by: 'type', prefixes: [WebhookEndpointCreated.type] } as const;
    const options = { filter, ...(after !== undefined && { after }) };
    for await (const page of eventStore.readAll(options)) {
      for (const recorded of page)
        this.add(codec.for([WebhookEndpointCreated]).revive(recorded).data);
    }
  }

  add({ accountId, types }: Pick<Created['data'], 'accountId' | 'types'>): void {
    if (types.some((type) => this.events.has(type))) this.#accounts.add(accountId);
  }

  has(accountId: string | null): accountId is string {
    return accountId !== null && this.#accounts.has(accountId);
  }

  /** The read model is asked once for each endpoint and batch. */
  beginBatch(): void {
    this.#waiting.clear();
  }

  /** The fate of a message about an event. `say`: the first one of its minute that is left out. */
  async take(
    { accountId, endpointId }: Pick<Created['data'], 'accountId' | 'endpointId'>,
    recordedAt: string,
  ): Promise<'send' | 'say' | 'skip'> {
    this.#enter(recordedAt.slice(0, MINUTE));
    const count = this.#counts.get(accountId) ?? 0;
    const waiting = await this.#waitingOf(endpointId);
    if (count < EVENT_MESSAGES_A_MINUTE && waiting < WAITING_MAX) {
      this.#counts.set(accountId, count + 1);
      this.#waiting.set(endpointId, waiting + 1);
      return 'send';
    }
    if (this.#skipped.has(accountId)) return 'skip';
    this.#skipped.add(accountId);
    return 'say';
  }

  #enter(minute: string): void {
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#counts = new Map();
    this.#skipped = new Set();
  }

  async #waitingOf(endpointId: string): Promise<number> {
    const known = this.#waiting.get(endpointId);
    if (known !== undefined) return known;
    return this.ports.projections.count(waitingDeliveries, waitingOf(endpointId));
  }
}
