import { status } from '@grpc/grpc-js';
import { StoreUnavailableError } from '../event-store.errors.js';
import {
  type EventStore,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { CallError } from './call-errors.js';

/** The fault of the next append, once. */
export type AppendFault =
  /** The connection breaks and nothing is appended. */
  | { readonly kind: 'lost-request' }
  /** It is appended, and the connection breaks before the answer. */
  | { readonly kind: 'lost-answer' }
  /** It is neither appended nor answered, until `release`. */
  | { readonly kind: 'held' }
  /** Another node leads. */
  | { readonly kind: 'not-leader'; readonly host: string; readonly port: number };

/** A store with injected faults; everything else is the inner store's. */
export class FaultyEventStore implements EventStore {
  readonly #inner: EventStore;
  readonly #drop: () => void;
  readonly #faults: AppendFault[] = [];
  readonly #held: (() => void)[] = [];
  #stalled: Promise<void> | null = null;
  #thaw: (() => void) | null = null;
  /** Appends that came in, faulty ones included. */
  appends = 0;
  /** Pages and batches that were read. */
  pages = 0;
  /** What readers see instead of an event, as of another program; null for one that is gone. */
  disguise: (event: RecordedEvent) => RecordedEvent | null = (event) => event;

  /** @param drop breaks the connections of the server above */
  constructor(inner: EventStore, drop: () => void) {
    this.#inner = inner;
    this.#drop = drop;
  }

  /** Faults meet the next appends in turn, one each. */
  failNext(...faults: AppendFault[]): void {
    this.#faults.push(...faults);
  }

  /** Lets the appends go on that are held. */
  release(): void {
    for (const goOn of this.#held.splice(0)) goOn();
  }

  /** Reads and subscriptions wait until `thawReads`. */
  stallReads(): void {
    this.#stalled ??= new Promise((resolve) => (this.#thaw = resolve));
  }

  thawReads(): void {
    this.#thaw?.();
    this.#stalled = null;
  }

  async append(...given: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    this.appends += 1;
    const fault = this.#faults.shift();
    if (fault?.kind === 'not-leader') throw notLeader(fault.host, fault.port);
    if (fault?.kind === 'lost-request') {
      this.#drop();
      throw new StoreUnavailableError('the request was lost');
    }
    if (fault?.kind === 'held') {
      await new Promise<void>((resolve) => this.#held.push(resolve));
    }
    const result = await this.#inner.append(...given);
    if (fault?.kind === 'lost-answer') this.#drop();
    return result;
  }

  read(stream: string, options?: ReadStreamOptions): ReturnType<EventStore['read']> {
    return this.#slowly(this.#inner.read(stream, options));
  }

  /** As many as there are once those that are gone are left out. */
  async *readAll({ maxCount = Infinity, ...options }: ReadAllOptions = {}): AsyncGenerator<
    readonly RecordedEvent[]
  > {
    let left = maxCount;
    for await (const page of this.#slowly(this.#inner.readAll(options))) {
      const seen = this.#seen(page).slice(0, left);
      if (seen.length > 0) yield seen;
      left -= seen.length;
      if (left === 0) return;
    }
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionBatch> {
    for await (const batch of this.#slowly(this.#inner.subscribe(options))) {
      yield { ...batch, events: this.#seen(batch.events) };
    }
  }

  head(): ReturnType<EventStore['head']> {
    return this.#inner.head();
  }

  health(): ReturnType<EventStore['health']> {
    return this.#inner.health();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #seen(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    return events.flatMap((event) => this.disguise(event) ?? []);
  }

  async *#slowly<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of pages) {
      this.pages += 1;
      await this.#stalled;
      yield page;
    }
  }
}

/** As a follower of a cluster answers. */
const notLeader = (host: string, port: number): CallError =>
  new CallError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
