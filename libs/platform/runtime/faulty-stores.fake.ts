import { EventEmitter } from 'node:events';
import {
  StaleRevisionError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import {
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { expectNotFenced } from '#platform/read-store/read-store.checks.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import {
  type Checkpoint,
  type ListOptions,
  type ReadStore,
  type ReadStoreCommit,
  type StoredDocument,
} from '#platform/read-store/read-store.port.js';

/**
 * The fault of one call: it fails without effect; it takes effect and fails; a part of it takes
 * effect; it takes effect, or not, with an unknown outcome; it takes effect twice.
 */
export type Fault =
  | 'fail-before'
  | 'fail-after'
  | 'fail-halfway'
  | 'unknown-done'
  | 'unknown-not-done'
  | 'twice'
  | 'none';

/** Faults of the next calls, in order; later calls succeed. */
export class Faults {
  readonly #coming: Fault[];
  calls = 0;

  constructor(...coming: readonly Fault[]) {
    this.#coming = [...coming];
  }

  plan(...coming: readonly Fault[]): void {
    this.#coming.push(...coming);
  }

  /** @param actInPart the partial write that a store without transactions may leave */
  async inflict<Result>(
    act: () => Promise<Result>,
    failure: () => Error,
    actInPart: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Result> {
    this.calls += 1;
    switch (this.#coming.shift() ?? 'none') {
      case 'fail-before':
        throw failure();
      case 'fail-after':
        await act();
        throw failure();
      case 'fail-halfway':
        await actInPart();
        throw failure();
      case 'unknown-done':
        await act();
        throw new UnknownOutcomeError('the outcome is unknown');
      case 'unknown-not-done':
        throw new UnknownOutcomeError('the outcome is unknown');
      case 'twice':
        await act();
        return act();
      case 'none':
        return act();
    }
  }
}

const PAGE = 3;

/** One log, shared by every `FaultyEventStore` that is opened on it: each of them is a process. */
export class MemoryLog {
  readonly events: RecordedEvent[] = [];
  readonly appended = new EventEmitter().setMaxListeners(0);

  of(stream: string): readonly RecordedEvent[] {
    return this.events.filter((event) => event.stream === stream);
  }

  append(
    stream: string,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): AppendResult {
    const there = this.of(stream);
    const first = expected === 'no-stream' ? 0 : Number(expected) + 1;
    const repeated = there.slice(first, first + events.length);
    const isRepeat =
      repeated.length === events.length && repeated.every(({ id }, at) => id === events[at]?.id);
    if (!isRepeat) this.#add(stream, events, there, first, expected);
    const last = this.of(stream)[first + events.length - 1];
    if (!last) throw new Error('an append left nothing');
    return { revision: last.revision, position: last.position };
  }

  #add(
    stream: string,
    events: readonly EventToAppend[],
    there: readonly RecordedEvent[],
    first: number,
    expected: ExpectedRevision,
  ): void {
    if (first !== there.length) {
      throw new StaleRevisionError(stream, expected, BigInt(there.length) - 1n);
    }
    for (const [index, event] of events.entries()) {
      // As from a disk: a copy of the appended objects. Positions have gaps.
      const stored = JSON.parse(JSON.stringify(event)) as EventToAppend;
      const revision = BigInt(there.length + index);
      const position = BigInt(this.events.length * 3 + 1);
      this.events.push({ ...stored, stream, revision, position, recordedAt: 'fixed' });
    }
    this.appended.emit('appended');
  }
}

/** An event store of one process. Appends and reads meet the faults that are planned for them. */
export class FaultyEventStore implements EventStore {
  readonly appends = new Faults();
  readonly reads = new Faults();
  readonly subscriptions = new Faults();
  /** Of the whole log. */
  eventsRead = 0;
  /** Runs before each append is carried out: a chance for another process to be first. */
  beforeAppend: () => void | Promise<void> = () => undefined;

  constructor(readonly log: MemoryLog = new MemoryLog()) {}

  async append(
    stream: string,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    await this.beforeAppend();
    return this.appends.inflict(
      // eslint-disable-next-line @typescript-eslint/require-await -- a throw must reject
      async () => this.log.append(stream, events, expected),
      () => new StoreUnavailableError('the log is away'),
    );
  }

  async *read(
    stream: string,
    { from = 0n, maxCount = Infinity, direction = 'forwards' }: ReadStreamOptions = {},
  ): AsyncGenerator<readonly RecordedEvent[]> {
    await this.#reading(this.reads);
    const events = this.log.of(stream);
    const wanted = direction === 'forwards' ? events.slice(Number(from)) : events.toReversed();
    yield* pages(wanted.slice(0, maxCount));
  }

  async *readAll({ after = 0n, filter, maxCount = Infinity }: ReadAllOptions = {}): AsyncGenerator<
    readonly RecordedEvent[]
  > {
    await this.#reading(this.reads);
    const prefixes = filter?.prefixes ?? [''];
    const wanted = this.log.events.filter(
      ({ position, type }) => position > after && prefixes.some((one) => type.startsWith(one)),
    );
    for (const page of pages(wanted.slice(0, maxCount))) {
      this.eventsRead += page.length;
      yield page;
    }
  }

  async *subscribe({ after = 0n, signal }: SubscribeOptions): AsyncGenerator<SubscriptionBatch> {
    await this.#reading(this.subscriptions);
    let read = after;
    while (!signal.aborted) {
      const events = this.log.events.filter(({ position }) => position > read).slice(0, PAGE);
      read = events.at(-1)?.position ?? read;
      const caughtUp = read >= (this.log.events.at(-1)?.position ?? 0n);
      yield { events, position: read, caughtUp };
      if (caughtUp) await this.#news(read, signal);
    }
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async head(): Promise<bigint> {
    return this.log.events.at(-1)?.position ?? 0n;
  }

  health(): Promise<{ writable: boolean; reason: null }> {
    return Promise.resolve({ writable: true, reason: null });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #reading(faults: Faults): Promise<void> {
    return faults.inflict(
      () => Promise.resolve(),
      () => new StoreUnavailableError('the log is away'),
    );
  }

  async #news(after: bigint, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.log.appended.off('appended', done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.log.appended.on('appended', done);
      signal.addEventListener('abort', done);
      if (signal.aborted || (this.log.events.at(-1)?.position ?? 0n) > after) done();
    });
  }
}

function* pages(events: readonly RecordedEvent[]): Generator<readonly RecordedEvent[]> {
  for (let at = 0; at < events.length; at += PAGE) yield events.slice(at, at + PAGE);
}

interface Held {
  readonly json: string | null;
  readonly position: bigint;
}

/** Documents in memory that meet the faults planned for them; the documents survive their users. */
export class FaultyReadStore implements ReadStore {
  readonly commits = new Faults();
  readonly gets = new Faults();
  readonly committed: ReadStoreCommit[] = [];
  /** While true, no commit and no checkpoint is answered. */
  isAway = false;
  readonly #collections = new Map<string, Map<string, Held>>();
  readonly #checkpoints = new Map<string, bigint>();
  readonly #fences = new Map<string, bigint>();
  readonly #events = new Map<string, string>();

  async get<Document extends object>(
    collection: string,
    key: string,
  ): Promise<StoredDocument<Document> | undefined> {
    return this.gets.inflict(
      // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
      async () => {
        const held = this.#collections.get(collection)?.get(key);
        if (!held || held.json === null) return undefined;
        return { key, document: JSON.parse(held.json) as Document, position: held.position };
      },
      () => new ReadStoreError('store-unavailable', 'the views are away'),
    );
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async list<Document extends object>(
    collection: string,
    { prefix = '', from = '', before, direction, limit = 1_000 }: ListOptions = {},
  ): Promise<readonly StoredDocument<Document>[]> {
    return [...(this.#collections.get(collection) ?? [])]
      .filter(([key]) => key.startsWith(prefix) && key >= from)
      .filter(([key]) => before === undefined || key < before)
      .flatMap(([key, { json, position }]) =>
        json === null ? [] : [{ key, document: JSON.parse(json) as Document, position }],
      )
      .sort((one, other) => (one.key < other.key === (direction !== 'backwards') ? -1 : 1))
      .slice(0, limit);
  }

  async count(collection: string, prefix = ''): Promise<number> {
    return (await this.list(collection, { prefix, limit: Infinity })).length;
  }

  commit(commit: ReadStoreCommit): Promise<void> {
    if (this.isAway) {
      return Promise.reject(new ReadStoreError('store-unavailable', 'the views are away'));
    }
    return this.commits.inflict(
      // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
      async () => this.#apply(commit),
      () => new ReadStoreError('store-unavailable', 'the views are away'),
      // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
      async () => this.#apply({ writes: commit.writes.slice(0, commit.writes.length / 2) }),
    );
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async checkpoint(name: string): Promise<bigint | undefined> {
    if (this.isAway) throw new ReadStoreError('store-unavailable', 'the views are away');
    return this.#checkpoints.get(name);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async checkpoints(): Promise<readonly Checkpoint[]> {
    if (this.isAway) throw new ReadStoreError('store-unavailable', 'the views are away');
    return [...this.#checkpoints].map(([name, position]) => {
      return { name, position, event: this.#events.get(name) ?? null };
    });
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async drop(collection: string, checkpoint: string): Promise<void> {
    this.#collections.delete(collection);
    this.#checkpoints.delete(checkpoint);
    this.#fences.delete(checkpoint);
    this.#events.delete(checkpoint);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #apply(commit: ReadStoreCommit): void {
    const { checkpoint } = commit;
    if (checkpoint) expectNotFenced(checkpoint, this.#fences.get(checkpoint.name));
    this.committed.push(commit);
    for (const { collection, key, document, position } of commit.writes) {
      const held = this.#collections.get(collection) ?? new Map<string, Held>();
      this.#collections.set(collection, held);
      if (position <= (held.get(key)?.position ?? -1n)) continue;
      held.set(key, { json: document && JSON.stringify(document), position });
    }
    if (!checkpoint) return;
    const { name, position, fence, event } = checkpoint;
    if (event !== undefined) this.#events.set(name, event);
    if (fence !== undefined) this.#fences.set(name, fence);
    const before = this.#checkpoints.get(name) ?? 0n;
    this.#checkpoints.set(name, position > before ? position : before);
  }
}
