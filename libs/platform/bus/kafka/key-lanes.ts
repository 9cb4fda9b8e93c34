/** Keys that one consumer handles at the same time. */
export const KEYS_AT_ONCE_MAX = 32;

export interface Laned {
  readonly key: string;
}

interface KeyLane<Item> {
  readonly key: string;
  readonly items: Item[];
}

/**
 * Handles the items of one key in order, and different keys concurrently. A lane is in one state at
 * a time: ready, running an attempt, or waiting for its timer.
 */
export class KeyLanes<Item extends Laned> {
  readonly #lanes = new Map<string, KeyLane<Item>>();
  readonly #ready: KeyLane<Item>[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #timers = new Map<KeyLane<Item>, NodeJS.Timeout>();
  #closed = false;

  /**
   * @param attempt never rejects; resolves to null, or to the milliseconds until the next attempt
   */
  constructor(private readonly attempt: (item: Item) => Promise<number | null>) {}

  add(item: Item): void {
    const lane = this.#lanes.get(item.key);
    if (lane) {
      lane.items.push(item);
      return;
    }
    const added = { key: item.key, items: [item] };
    this.#lanes.set(item.key, added);
    this.#ready.push(added);
    this.#pump();
  }

  /** Drops items whose attempt is not running; running attempts finish. */
  drop(isDropped: (item: Item) => boolean): void {
    for (const lane of this.#lanes.values()) {
      const isWaiting = this.#timers.has(lane) || this.#ready.includes(lane);
      const running = isWaiting ? [] : lane.items.splice(0, 1);
      lane.items.splice(0, lane.items.length, ...running, ...lane.items.filter(not(isDropped)));
      if (lane.items.length === 0) this.#remove(lane);
    }
  }

  /** Starts nothing more; resolves when nothing is running. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  #remove(lane: KeyLane<Item>): void {
    this.#lanes.delete(lane.key);
    clearTimeout(this.#timers.get(lane));
    this.#timers.delete(lane);
    const place = this.#ready.indexOf(lane);
    if (place >= 0) this.#ready.splice(place, 1);
  }

  #pump(): void {
    while (!this.#closed && this.#running.size < KEYS_AT_ONCE_MAX) {
      const lane = this.#ready.shift();
      const item = lane?.items[0];
      if (!lane || !item) return;
      const running = this.attempt(item).then((waitMs) => {
        this.#running.delete(running);
        this.#goOn(lane, waitMs);
        this.#pump();
      });
      this.#running.add(running);
    }
  }

  #goOn(lane: KeyLane<Item>, waitMs: number | null): void {
    if (waitMs !== null) {
      if (this.#closed) return;
      const timer = setTimeout(() => {
        this.#timers.delete(lane);
        this.#ready.push(lane);
        this.#pump();
      }, waitMs);
      this.#timers.set(lane, timer);
      return;
    }
    lane.items.shift();
    if (lane.items.length > 0) this.#ready.push(lane);
    else this.#lanes.delete(lane.key);
  }
}

const not =
  <Item>(predicate: (item: Item) => boolean) =>
  (item: Item): boolean =>
    !predicate(item);
