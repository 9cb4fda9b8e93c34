import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { type Position, type SubscriptionBatch } from '#platform/event-store/event-store.port.js';
import { type DomainEvent, type NamedEvent } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { derivedId } from './derived-id.js';
import { type EventCodec } from './event-codec.js';
import { type LogFollower, SavedPlace } from './log-reader.js';

/** Private events stay home: what leaves is a message of its own, made by one pure function. */
export interface Relay<Event extends DomainEvent = DomainEvent> {
  readonly name: string;
  readonly topic: string;
  readonly on: readonly NamedEvent[];
  /** Null keeps the event at home. */
  readonly toMessage: (event: Event) => { readonly key: string; readonly data: unknown } | null;
}

/**
 * The log is the outbox: a relay reads it from its checkpoint and publishes. The place is saved
 * after the bus has taken the messages, so a crash publishes again, with the same message ids.
 */
export class OutboxFollower implements LogFollower {
  readonly name: string;
  readonly types: readonly string[];
  #saved = new SavedPlace(0n);

  constructor(
    private readonly relay: Relay,
    private readonly readStore: ReadStore,
    private readonly codec: EventCodec,
    private readonly bus: Bus,
  ) {
    this.name = `outbox.${relay.name}`;
    this.types = relay.on.map(({ type }) => type);
  }

  async checkpoint(): Promise<Position | undefined> {
    const checkpoint = await this.readStore.checkpoint(this.name);
    this.#saved = new SavedPlace(checkpoint ?? 0n);
    return checkpoint;
  }

  async handle({ events, position }: SubscriptionBatch): Promise<void> {
    const messages = events
      .filter(({ type }) => this.types.includes(type))
      .flatMap((recorded): readonly BusMessage[] => {
        const message = this.relay.toMessage(this.codec.revive(recorded));
        if (!message) return [];
        const { correlationId } = recorded.metadata;
        const headers = { correlationId, eventId: recorded.id, type: recorded.type };
        return [{ ...message, id: derivedId(this.relay.name, recorded.id), headers }];
      });
    if (messages.length > 0) await this.bus.publish(this.relay.topic, messages);
    else if (!this.#saved.isFarBehind(position)) return;
    await this.readStore.commit({ writes: [], checkpoint: { name: this.name, position } });
    this.#saved.saved(position);
  }
}
