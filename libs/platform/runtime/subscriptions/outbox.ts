import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type DefinitionsOf, type DomainEvent, typesOf } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { derivedId } from '../commands/derived-id.js';
import { type EventCodec } from '../commands/event-codec.js';
import { checkpointAt, SavedCheckpoint, type SubscriptionHandler } from './subscription-handler.js';

/** Publishes messages that one pure function makes of events. Events themselves stay private. */
export interface Relay<Event extends DomainEvent> {
  readonly name: string;
  readonly topic: string;
  /** Every event it reads; it never receives another one. */
  readonly on: DefinitionsOf<Event>;
  /** Null publishes nothing for the event. */
  readonly toMessage: (event: Event) => { readonly key: string; readonly data: unknown } | null;
}

/** The runtime treats all relays alike. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of unlike relays
export type AnyRelay = Relay<any>;

/**
 * The log is the outbox: a relay reads it from its checkpoint and publishes. The checkpoint is
 * saved after the bus has accepted the messages, so a crash publishes them again under the same
 * ids.
 */
export class RelayHandler implements SubscriptionHandler {
  readonly name: string;
  readonly types: readonly string[];
  #saved = new SavedCheckpoint(0n);
  #handled: RecordedEvent | undefined;

  constructor(
    private readonly relay: AnyRelay,
    private readonly readStore: ReadStore,
    private readonly codec: EventCodec,
    private readonly bus: Bus,
  ) {
    this.name = `outbox.${relay.name}`;
    this.types = typesOf(relay.on);
  }

  async checkpoint(): Promise<Position | undefined> {
    const checkpoint = await this.readStore.checkpoint(this.name);
    this.#saved = new SavedCheckpoint(checkpoint ?? 0n);
    return checkpoint;
  }

  async handle({ events, position }: SubscriptionBatch): Promise<void> {
    const wanted = events.filter(({ type }) => this.types.includes(type));
    this.#handled = wanted.at(-1) ?? this.#handled;
    const messages = wanted.flatMap((recorded): readonly BusMessage[] => {
      const message = this.relay.toMessage(this.codec.revive(recorded));
      if (!message) return [];
      const { correlationId } = recorded.metadata;
      const headers = { correlationId, eventId: recorded.id, type: recorded.type };
      return [{ ...message, id: derivedId(this.relay.name, recorded.id), headers }];
    });
    if (messages.length > 0) await this.bus.publish(this.relay.topic, messages);
    else if (!this.#saved.isFarBehind(position)) return;
    const checkpoint = checkpointAt(this.name, position, this.#handled);
    await this.readStore.commit({ writes: [], checkpoint });
    this.#saved.saved(position);
  }
}
