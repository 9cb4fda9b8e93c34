import { setImmediate as nextTurn } from 'node:timers/promises';
import { DamagedEventError } from '#platform/event-store/event-store.errors.js';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { within } from '#platform/kernel/within.js';
import { RecentPages } from './recent-pages.js';
import { type SubscriptionHandler } from './subscription-handler.js';
import { Walker, type WalkOptions } from './walker.js';

/** Events of the first page. Each full page doubles the next one. */
const PAGE_EVENTS_MIN = 1_024;
const PAGE_EVENTS_MAX = 4_096;
/** Where a page takes as long as this, few and large writes are the faster way to catch up. */
const SLOW_PAGE_MS = 1_000;
const SLOW_PAGE_EVENTS = 16_384;

/** A pass that read no more, or took no longer, has caught up with the log. */
const NEAR_EVENTS = 1_000;
const NEAR_MS = 250;

/** Readers walk together if none of them is so many times as far behind as another one. */
const SPREAD = 10n;
/** How much longer than half of the readers a slow one may take before the others go on. */
const PATIENCE_MS = 1_000;

const walks = new WeakMap<EventStore, LogWalk>();

/** The walk over this log: all readers of the process that are behind share it. */
export const walkOf = (eventStore: EventStore): LogWalk => {
  const known = walks.get(eventStore);
  if (known) return known;
  const walk = new LogWalk(eventStore);
  walks.set(eventStore, walk);
  return walk;
};

/**
 * Hands the log to all handlers of the process that are behind, each from its own position: an
 * event is read, unpacked and checked once for all of them, and they handle a page at the same
 * time, so that the read store gathers their commits. Handlers that are much nearer to the head
 * than others walk in a group of their own, so that none waits for one that begins at zero. A
 * handler that fails leaves the walk, and so does a slow one until it has handled its page; then it
 * gets the pages that the others have read. At a damaged event each handler continues alone, so
 * that the event stops only the handlers that read it.
 */
export class LogWalk {
  readonly #walkers = new Set<Walker>();
  readonly #pages: RecentPages;
  /** Of the last pass. */
  #served: ReadonlySet<Walker> = new Set();
  #pageEvents = PAGE_EVENTS_MIN;
  #isRunning = false;

  constructor(private readonly eventStore: EventStore) {
    this.#pages = new RecentPages(eventStore);
  }

  /**
   * Resolves when the handler has caught up with the log, or after `signal`. Checkpoints stay with
   * the handler and its caller.
   * @throws the error of the handler, of `onPage` or of the read of the log
   */
  async catchUp(handler: SubscriptionHandler, options: WalkOptions): Promise<void> {
    const walker = new Walker(handler, options);
    this.#walkers.add(walker);
    void this.#run();
    try {
      await walker.ended;
    } finally {
      this.#walkers.delete(walker);
      if (this.#walkers.size === 0) this.#pages.clear();
    }
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Readers that start together join in one turn of the event loop.
    await nextTurn();
    for (let free = this.#free(); free.length > 0; free = this.#free()) await this.#pass(free);
    this.#isRunning = false;
    this.#served = new Set();
    this.#pageEvents = PAGE_EVENTS_MIN;
  }

  /** Those that can take a page. A slow one returns when it has handled its own. */
  #free(): readonly Walker[] {
    return [...this.#walkers].filter(({ isFree }) => isFree);
  }

  /** One group reads on, up to the head of the log or until others wait. */
  async #pass(free: readonly Walker[]): Promise<void> {
    let group = free;
    try {
      const head = await this.eventStore.head();
      group = this.#nextGroup(free, head);
      this.#served = new Set(group);
      await this.#read(group, head);
    } catch (error) {
      const going = group.filter(({ isFree }) => isFree);
      if (error instanceof DamagedEventError && going.length > 1)
        for (const walker of going) walker.isAlone = true;
      else for (const walker of going) walker.fail(error);
    }
  }

  /** The nearest walker that was not served last, and the walkers about as far behind. */
  #nextGroup(free: readonly Walker[], head: Position): readonly Walker[] {
    const waiting = free.filter((walker) => !this.#served.has(walker));
    const candidates = waiting.length > 0 ? waiting : free;
    const first = candidates.reduce((near, one) => (one.position > near.position ? one : near));
    if (first.isAlone) return [first];
    const distance = behind(first, head);
    return free.filter((one) => {
      const its = behind(one, head);
      return !one.isAlone && its <= distance * SPREAD && its * SPREAD >= distance;
    });
  }

  async #read(group: readonly Walker[], head: Position): Promise<void> {
    const startedAtMs = performance.now();
    const readersOf = readersByType(group);
    for (const walker of group) walker.begin();
    let total = 0;
    let read = 0;
    let last = lowest(group);
    const pages = last < head ? this.#pages.after(last, typesOf(group)) : [];
    for await (const page of pages) {
      for (const event of page) for (const walker of readersOf(event.type)) walker.add(event);
      last = page.at(-1)?.position ?? last;
      read += page.length;
      if (read < this.#pageEvents) continue;
      total += read;
      read = 0;
      await this.#hand(group, last);
      if (this.#hasToRegroup(group)) return;
    }
    await this.#hand(group, last > head ? last : head);
    const isNear = total + read <= NEAR_EVENTS || performance.now() - startedAtMs <= NEAR_MS;
    if (isNear) for (const walker of group) walker.caughtUp();
  }

  /** Others wait, or none of the group is left. */
  #hasToRegroup(group: readonly Walker[]): boolean {
    const free = this.#free();
    return free.some((walker) => !group.includes(walker)) || !group.some(({ isFree }) => isFree);
  }

  async #hand(group: readonly Walker[], position: Position): Promise<void> {
    const startedAtMs = performance.now();
    const handled = group.map(async (walker) => {
      await walker.hand(position);
      // One that was slower than the others walks on with them.
      void this.#run();
    });
    await mostOf(handled);
    for (const walker of group) walker.goOn();
    const isSlow = performance.now() - startedAtMs >= SLOW_PAGE_MS;
    const doubled = Math.min(2 * this.#pageEvents, PAGE_EVENTS_MAX);
    this.#pageEvents = isSlow ? SLOW_PAGE_EVENTS : doubled;
  }
}

const behind = ({ position }: Walker, head: Position): bigint =>
  position < head ? head - position : 0n;

const lowest = (walkers: readonly Walker[]): Position =>
  walkers
    .map(({ position }) => position)
    .reduce((least, position) => (position < least ? position : least));

const typesOf = (walkers: readonly Walker[]): readonly string[] => [
  ...new Set(walkers.flatMap(({ types }) => types)),
];

const readersByType = (walkers: readonly Walker[]): ((type: string) => readonly Walker[]) => {
  const byType = new Map<string, readonly Walker[]>();
  return (type) => {
    const known = byType.get(type);
    if (known) return known;
    const readers = walkers.filter(({ types }) => types.includes(type) || types.includes(''));
    byType.set(type, readers);
    return readers;
  };
};

/** Resolves with the last of them, or a while after half of them. */
const mostOf = async (handled: readonly Promise<void>[]): Promise<void> => {
  const startedAtMs = performance.now();
  const all = Promise.all(handled);
  const half = Promise.withResolvers<undefined>();
  let left = Math.ceil(handled.length / 2);
  for (const one of handled)
    void one.then(() => {
      left -= 1;
      if (left === 0) half.resolve(undefined);
    });
  await Promise.race([all, half.promise]);
  const patienceMs = performance.now() - startedAtMs + PATIENCE_MS;
  await within(all, patienceMs, () => undefined);
};
