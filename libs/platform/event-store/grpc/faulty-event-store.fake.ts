import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import {
  CutStreamError,
  StaleRevisionError,
  StoreUnavailableError,
} from '../event-store.errors.js';
import {
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type Position,
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

/** The revision of the event that a server writes when a stream is deleted for ever. */
const TOMBSTONE_REVISION = 2n ** 63n - 1n;
const TOMBSTONES = 'tombstone-';

/** A store with injected faults; everything else is the inner store's. */
export class FaultyEventStore implements EventStore {
  readonly #inner: EventStore;
  readonly #drop: () => void;
  readonly #faults: AppendFault[] = [];
  readonly #held: (() => void)[] = [];
  /** Positions have gaps, as where they count bytes: a hidden event lies before each append. */
  isSparse = false;
  /** The last metadata that were written for a stream, as only a server keeps them. */
  readonly settings = new Map<string, RecordedEvent>();
  /** Streams that were deleted: for ever, or until they are written again. */
  readonly #deleted = new Map<string, 'tombstone' | 'soft'>();
  #stalled: Promise<void> | null = null;
  #thaw: (() => void) | null = null;
  /** Appends that came in, faulty ones included. */
  appends = 0;
  /** Pages and batches that were read. */
  pages = 0;
  /** Of the whole log, forwards: the head is read without a count. */
  eventsRead = 0;
  /** The event that readers see instead, as of another program; null for one that is gone. */
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

  /** A reader of the whole log still sees its events, and one more. */
  async tombstone(stream: string): Promise<void> {
    this.#deleted.set(stream, 'tombstone');
    await this.#inner.append(`${TOMBSTONES}${stream}`, [plainEvent('Tombstone')], 'no-stream');
  }

  /** As by a truncation of all events: only the metadata of the stream tell. */
  softDelete(stream: string): void {
    this.#deleted.set(stream, 'soft');
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
    if (given[0].startsWith(METADATA_OF)) return this.#set(...given);
    this.appends += 1;
    this.#rejectTombstone(given[0]);
    const fault = this.#faults.shift();
    if (fault?.kind === 'not-leader') throw notLeader(fault.host, fault.port);
    if (fault?.kind === 'lost-request') {
      this.#drop();
      throw new StoreUnavailableError('the request was lost');
    }
    if (fault?.kind === 'held') {
      await new Promise<void>((resolve) => this.#held.push(resolve));
    }
    if (this.isSparse) await this.#inner.append(`${GAPS}1`, [plainEvent('Gap')], 'any');
    const result = await this.#inner.append(...given);
    if (fault?.kind === 'lost-answer') this.#drop();
    return result;
  }

  async *read(
    stream: string,
    options?: ReadStreamOptions,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    this.#rejectTombstone(stream);
    if (this.#deleted.has(stream)) return;
    const known = this.settings.get(stream);
    if (known) yield [known];
    else if (this.#deleted.get(stream.slice(METADATA_OF.length)) === 'soft')
      yield [truncated(stream)];
    else yield* this.#slowly(this.#inner.read(stream, options));
  }

  /** As many as there are except the missing ones. */
  async *readAll({ maxCount = Infinity, ...options }: ReadAllOptions = {}): AsyncGenerator<
    readonly RecordedEvent[]
  > {
    let left = maxCount;
    for await (const page of this.#slowly(this.#inner.readAll(options))) {
      const seen = this.#seen(page).slice(0, left);
      if (maxCount !== Infinity) this.eventsRead += seen.length;
      if (seen.length > 0) yield seen;
      left -= seen.length;
      if (left === 0) return;
    }
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionBatch> {
    for await (const batch of this.#slowly(this.#inner.subscribe(options))) {
      const events = this.#seen(batch.events);
      this.eventsRead += events.length;
      yield { ...batch, events };
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

  #set(...given: Parameters<EventStore['append']>): Promise<AppendResult> {
    const [stream, [event], expected] = given;
    const actual = this.settings.get(stream)?.revision ?? null;
    if (expected !== 'any' && expected !== (actual ?? 'no-stream')) {
      throw new StaleRevisionError(stream, expected, actual);
    }
    const place = { revision: (actual ?? -1n) + 1n, position: 1n };
    const recordedAt = new Date(0).toISOString();
    this.settings.set(stream, { ...(event ?? plainEvent('')), recordedAt, stream, ...place });
    return Promise.resolve(place);
  }

  #seen(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    return events.flatMap((event) =>
      isGap(event) ? [] : (this.disguise(tombstoneOr(event)) ?? []),
    );
  }

  /** Whether a server would read from there: where an event begins. */
  async hasEventAt(position: Position): Promise<boolean> {
    const reading = this.#inner.readAll({ after: position - 1n, maxCount: 1 });
    for await (const [event] of reading) {
      return event !== undefined && event.position === position && !isGap(event);
    }
    return false;
  }

  #rejectTombstone(stream: string): void {
    if (this.#deleted.get(stream) === 'tombstone') throw new CutStreamError(stream, 0n, null);
  }

  async *#slowly<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of pages) {
      this.pages += 1;
      await this.#stalled;
      yield page;
    }
  }
}

const METADATA_OF = '$$';
const GAPS = 'gap-';

const isGap = ({ stream }: RecordedEvent): boolean => stream.startsWith(GAPS);

const NO_CAUSE = { version: 1, correlationId: '', causationId: '', requestId: '', actor: '' };

const plainEvent = (type: string): EventToAppend => ({
  id: randomUUID(),
  type,
  data: {},
  metadata: NO_CAUSE,
});

const tombstoneOr = (event: RecordedEvent): RecordedEvent =>
  event.stream.startsWith(TOMBSTONES)
    ? {
        ...event,
        stream: event.stream.slice(TOMBSTONES.length),
        type: '$streamDeleted',
        revision: TOMBSTONE_REVISION,
      }
    : event;

/** The last metadata of a stream whose events are hidden. */
const truncated = (stream: string): RecordedEvent => ({
  id: randomUUID(),
  stream,
  type: '$metadata',
  data: { $tb: Number(TOMBSTONE_REVISION) },
  metadata: NO_CAUSE,
  revision: 0n,
  position: 1n,
  recordedAt: new Date(0).toISOString(),
});

/** As a follower of a cluster answers. */
const notLeader = (host: string, port: number): CallError =>
  new CallError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
