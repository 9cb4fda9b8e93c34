import { DamagedEventError } from '#platform/event-store/event-store.errors.js';
import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { type SubscriptionHandler } from './subscription-handler.js';

/** Events of one write: an account that changes in each of them is written once. */
const EVENTS_PER_WRITE = 4_096;
/** A pass over the log that took no longer has caught up with it. */
const CAUGHT_UP_MS = 250;

export interface WalkHandler extends SubscriptionHandler {
  /** Saves that everything up to here was handled, whether or not there was something to write. */
  settle(position: Position): Promise<void>;
}

/** Why the walk goes on without a handler. */
export interface WalkFailure {
  /** Everything up to here was handled. */
  readonly position: Position;
  readonly error: unknown;
}

/** One handler of the walk, and the events that it has not handled yet. */
class Walker {
  failure: WalkFailure | null = null;
  position: Position = 0n;
  #waiting: RecordedEvent[] = [];

  constructor(readonly handler: WalkHandler) {}

  /** Continues at the checkpoint. */
  async open(): Promise<void> {
    this.#waiting = [];
    try {
      this.position = (await this.handler.checkpoint()) ?? 0n;
    } catch (error) {
      this.fail(error);
    }
  }

  add(event: RecordedEvent): void {
    if (event.position > this.position) this.#waiting.push(event);
  }

  /** Hands over what waits; everything up to `position` was offered. */
  async flush(position: Position): Promise<void> {
    const events = this.#waiting;
    this.#waiting = [];
    try {
      await this.handler.handle({ events, position, caughtUp: false });
      this.position = position;
    } catch (error) {
      this.fail(error);
    }
  }

  async settle(): Promise<void> {
    try {
      await this.handler.settle(this.position);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    this.#waiting = [];
    this.failure = { position: this.position, error };
  }
}

/**
 * Hands the log to several handlers from where each has come to: an event is read, unpacked and
 * checked once for all of them. A handler that fails leaves the walk, and the others go on. Each
 * goes on alone where an event is damaged, so that it stops only those that read it.
 */
export class RebuildWalk {
  readonly #walkers: readonly Walker[];

  constructor(
    handlers: readonly WalkHandler[],
    private readonly eventStore: EventStore,
  ) {
    this.#walkers = handlers.map((handler) => new Walker(handler));
  }

  /**
   * Walks until the handlers have caught up with the log.
   * @param onProgress gets the position behind each write; what it throws ends the walk
   * @returns the failures of the handlers that have failed
   */
  async run(
    onProgress: (position: Position) => void,
  ): Promise<ReadonlyMap<WalkHandler, WalkFailure>> {
    await this.#walk(this.#walkers, onProgress);
    for (const walker of goingOf(this.#walkers)) await walker.settle();
    return new Map(
      this.#walkers.flatMap(({ handler, failure }) =>
        failure === null ? [] : [[handler, failure] as const],
      ),
    );
  }

  async #walk(walkers: readonly Walker[], onProgress: (position: Position) => void): Promise<void> {
    try {
      await this.#catchUp(walkers, onProgress);
    } catch (error) {
      if (!(error instanceof DamagedEventError)) throw error;
      const going = goingOf(walkers);
      if (going.length === 1) going[0]?.fail(error);
      else for (const walker of going) await this.#walk([walker], onProgress);
    }
  }

  async #catchUp(
    walkers: readonly Walker[],
    onProgress: (position: Position) => void,
  ): Promise<void> {
    for (const walker of walkers) await walker.open();
    for (let tookMs = Infinity; tookMs > CAUGHT_UP_MS;) {
      const going = goingOf(walkers);
      if (going.length === 0) return;
      const head = await this.eventStore.head();
      const startedAtMs = performance.now();
      await this.#pass(going, head, onProgress);
      tookMs = performance.now() - startedAtMs;
    }
  }

  /** Reads up to the head of the log, which was at `head` or is behind it by now. */
  async #pass(
    walkers: readonly Walker[],
    head: Position,
    onProgress: (position: Position) => void,
  ): Promise<void> {
    const byType = walkersByType(walkers);
    const flush = async (position: Position): Promise<void> => {
      for (const walker of goingOf(walkers)) await walker.flush(position);
      onProgress(position);
    };
    const after = lowest(walkers);
    const filter = { by: 'type', prefixes: [...byType.keys()] } as const;
    let read = 0;
    let last = after;
    for await (const page of this.eventStore.readAll({ after, filter })) {
      for (const event of page) for (const one of byType.get(event.type) ?? []) one.add(event);
      last = page.at(-1)?.position ?? last;
      read += page.length;
      if (read < EVENTS_PER_WRITE) continue;
      read = 0;
      await flush(last);
      if (goingOf(walkers).length === 0) return;
    }
    await flush(last > head ? last : head);
  }
}

const goingOf = (walkers: readonly Walker[]): readonly Walker[] =>
  walkers.filter(({ failure }) => failure === null);

const lowest = (walkers: readonly Walker[]): Position =>
  walkers
    .map(({ position }) => position)
    .reduce((least, position) => (position < least ? position : least));

const walkersByType = (walkers: readonly Walker[]): ReadonlyMap<string, readonly Walker[]> => {
  const byType = new Map<string, Walker[]>();
  for (const walker of walkers)
    for (const type of walker.handler.types) {
      const known = byType.get(type);
      if (known) known.push(walker);
      else byType.set(type, [walker]);
    }
  return byType;
};
