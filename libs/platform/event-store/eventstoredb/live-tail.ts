import {
  type EventFilter,
  type Position,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { Follower } from './follower.js';
import { type LogPage, type LogReader, PAGE_EVENTS_MAX } from './log.reader.js';
import { TailSubscription, type TailSubscriptionOptions } from './tail-subscription.js';

/**
 * One subscription to the whole log for all who follow it in this process: each event comes over the
 * wire and is decoded once. Who is behind, or slow, reads pages until it is level with it.
 *
 * It has no filter on the server, so that its place moves with every event there is: the checkpoints
 * of a filtered subscription come every so many events, run ahead of what was delivered, and need not
 * reach the log's head, for which readers wait.
 */
export class LiveTail {
  readonly #reader: LogReader;
  readonly #options: TailSubscriptionOptions;
  readonly #followers = new Set<Follower>();
  /** Followers who are live have been offered everything up to its position. */
  #subscription: TailSubscription | null = null;

  constructor(reader: LogReader, options: TailSubscriptionOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** @param closing ends it like the signal of the options */
  async *subscribe(
    { after, filter, signal }: SubscribeOptions,
    closing: AbortSignal,
  ): AsyncGenerator<SubscriptionBatch> {
    const follower = new Follower(after ?? 0n, filter);
    const stop = () => follower.end();
    const ends = AbortSignal.any([signal, closing]);
    ends.addEventListener('abort', stop);
    if (ends.aborted) stop();
    this.#followers.add(follower);
    try {
      while (!follower.over.aborted) {
        const batch = follower.take() ?? (await this.#next(follower));
        if (batch !== null) yield batch;
      }
    } finally {
      ends.removeEventListener('abort', stop);
      this.#leave(follower);
    }
  }

  async #next(follower: Follower): Promise<SubscriptionBatch | null> {
    if (follower.live) {
      await follower.news();
      return null;
    }
    const page = await this.#read(follower);
    if (page === null) return null;
    const live = page.atHead && this.#follows(page.position);
    const moved = live || page.position > follower.position;
    const batch = follower.advance(page, live);
    return moved ? batch : null;
  }

  /** Null when the subscription was ended meanwhile; an outage is only a pause. */
  async #read(follower: Follower): Promise<LogPage | null> {
    const { position, filter, over } = follower;
    try {
      const page =
        follower.isFarBehind && filter !== undefined
          ? await this.#leap(position, filter, over)
          : await this.#reader.log(position, PAGE_EVENTS_MAX, undefined, over);
      follower.isFarBehind = !page.atHead;
      return over.aborted ? null : page;
    } catch (error) {
      if (over.aborted) return null;
      throw error;
    }
  }

  /**
   * Far behind, the server leaves out what the follower does not want. A page that ends the log has
   * looked through all there was when the head was asked for.
   */
  async #leap(after: Position, filter: EventFilter, over: AbortSignal): Promise<LogPage> {
    const head = await this.#reader.head();
    const page = await this.#reader.log(after, PAGE_EVENTS_MAX, filter, over);
    return page.atHead && head > page.position ? { ...page, position: head } : page;
  }

  /** Whether everything after this place will be offered; the first one begins the subscription. */
  #follows(position: bigint): boolean {
    this.#subscription ??= new TailSubscription(this.#options, position, (group) => {
      for (const follower of this.#followers) follower.offer(group);
    });
    return position >= this.#subscription.position;
  }

  #leave(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#subscription?.end();
    this.#subscription = null;
  }
}
