import { type EventFilter, type Position } from './event-store.port.js';
import { type LiveLog, type LogSubscription } from './log-subscription.js';
import { type EventGroup } from './subscription-queue.js';

/** How late a position without events may be, for a consumer that does not wait for it. */
const POSITIONS_EVERY_MS = 1_000;
/** Types whose subscriptions are remembered. */
const TYPES_KNOWN_MAX = 10_000;

/**
 * The live subscriptions of a process. An event is offered to the subscriptions that read its type,
 * which are looked up once for each type; the others only share the position.
 */
export class LiveSubscriptions implements LiveLog {
  readonly #all = new Set<LogSubscription>();
  /** Subscriptions that are woken whenever the position moves. */
  readonly #awaiting = new Set<LogSubscription>();
  /** Forgotten when a subscription joins or leaves. */
  readonly #byType = new Map<string, readonly LogSubscription[]>();
  #position: Position;
  #reminder: NodeJS.Timeout | null = null;

  constructor(position: Position) {
    this.#position = position;
  }

  /** Everything up to here was offered. */
  get position(): Position {
    return this.#position;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Of the subscriptions; undefined for one that reads every event. */
  filters(): readonly (EventFilter | undefined)[] {
    return [...this.#all].map(({ filter }) => filter);
  }

  /** Every event behind the position of the subscription will be offered to it. */
  join(subscription: LogSubscription): void {
    this.#all.add(subscription);
    this.#awaiting.add(subscription);
    this.#byType.clear();
  }

  /** Called when the consumer of a subscription begins to wait for the position. */
  awaitPosition(subscription: LogSubscription): void {
    if (this.#all.has(subscription)) this.#awaiting.add(subscription);
  }

  leave(subscription: LogSubscription): void {
    if (this.#all.delete(subscription)) this.#byType.clear();
    this.#awaiting.delete(subscription);
    if (!this.isEmpty || this.#reminder === null) return;
    clearTimeout(this.#reminder);
    this.#reminder = null;
  }

  /** A subscription without room for an event falls behind, and reads from the event before. */
  offer(group: EventGroup): void {
    const before = this.#position;
    let last = before;
    for (const event of group.events) {
      if (event.position <= before) continue;
      for (const subscription of this.#readersOf(event.type)) {
        if (!subscription.offer(event, group)) {
          this.leave(subscription);
          subscription.fallBehind(last);
        }
      }
      last = event.position;
    }
    this.moveTo(group.position);
  }

  /** Nothing up to the position is left to offer. */
  moveTo(position: Position): void {
    if (position <= this.#position) return;
    this.#position = position;
    for (const subscription of this.#awaiting) {
      if (subscription.wantsPosition) subscription.wake();
      else this.#awaiting.delete(subscription);
    }
    if (this.#awaiting.size === this.#all.size) return;
    this.#reminder ??= setTimeout(() => this.#remind(), POSITIONS_EVERY_MS).unref();
  }

  /** Events up to the position were not offered: all subscriptions read them for themselves. */
  fallBehind(position: Position): void {
    for (const subscription of this.#all) {
      this.leave(subscription);
      subscription.fallBehind(this.#position);
    }
    this.moveTo(position);
  }

  #remind(): void {
    this.#reminder = null;
    for (const subscription of this.#all) subscription.remind();
  }

  #readersOf(type: string): readonly LogSubscription[] {
    const known = this.#byType.get(type);
    if (known) return known;
    if (this.#byType.size >= TYPES_KNOWN_MAX) this.#byType.clear();
    const readers = [...this.#all].filter(({ filter }) => mayPass(filter, type));
    this.#byType.set(type, readers);
    return readers;
  }
}

const mayPass = (filter: EventFilter | undefined, type: string): boolean =>
  filter?.by !== 'type' || filter.prefixes.some((prefix) => type.startsWith(prefix));
