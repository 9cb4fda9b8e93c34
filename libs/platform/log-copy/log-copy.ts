import { setTimeout as sleep } from 'node:timers/promises';
import { Frontier } from '#platform/audit/frontier.js';
import { EventHasher, storedFieldsOf } from '#platform/event-store/event.chain.js';
import {
  AppendTooLargeError,
  InvalidAppendError,
  StaleRevisionError,
} from '#platform/event-store/event-store.errors.js';
import {
  type EventStore,
  type OrderedAppend,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { batchesOf } from './ordered-appends.js';

/** The target does not hold the beginning of the source, and nothing else. */
export class ForeignTargetError extends Error {
  override readonly name = 'ForeignTargetError';
}

/** After a failure so many events are copied one append after the other. */
const CAREFUL_EVENTS = 1_000;
/** Before the target is read again after a failure. */
const RETRIES: BackOff = { firstMs: 100, maxMs: 5_000 };
/** Failures one after the other, in about a minute, after which the copy gives up. */
const FAILURES_MAX = 15;

export interface CopyProgress {
  /** Events of the source that the target has. */
  readonly copied: number;
  /** The position of the last of them in the source. */
  readonly position: Position;
}

export interface CopyOptions {
  /**
   * Waits for each append, for a target that may refuse one append and take the next ones, as a
   * cluster that elects. Default: several are under way, in order, and one by one after a failure.
   */
  readonly oneByOne?: boolean;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Ends the copy between two appends; the next run continues behind the copied events. */
  readonly signal?: AbortSignal;
}

/** The comparison of two logs, event by event. */
export interface LogComparison {
  readonly events: number;
  /** Of the tree of both, in hexadecimal. */
  readonly root: string;
}

/** How far both logs have been found equal. */
interface Seam {
  readonly copied: number;
  readonly source: Position;
  readonly target: Position;
}

const START: Seam = { copied: 0, source: 0n, target: 0n };

/**
 * Copies a log to another store: streams, revisions, ids, instants and order as they were, so that
 * the copy has the same tree. The target itself says how far it is: what is there is compared, and
 * the copy continues behind it. So it may be killed at any event.
 */
export class LogCopy {
  readonly #hasher = new EventHasher();
  /** The state that was found in both. */
  #seam = START;
  /** Up to so many events it is copied one by one. */
  #carefulUpTo = 0;
  /** Of the source, with the events written since. */
  #progress: CopyProgress = { copied: 0, position: 0n };

  constructor(
    private readonly source: Pick<EventStore, 'readAll'>,
    private readonly target: EventStore,
  ) {}

  /**
   * Copies up to the head of the source.
   * @throws ForeignTargetError; the error of a store that fails for longer than a minute
   */
  async run(options: CopyOptions = {}): Promise<CopyProgress> {
    for (let failures = 0; options.signal?.aborted !== true;) {
      const before = this.#seam.copied;
      try {
        await this.#align();
        await this.#append(options);
        break;
      } catch (error) {
        if (isFinal(error)) throw error;
        this.#carefulUpTo = this.#progress.copied + CAREFUL_EVENTS;
        failures = this.#seam.copied > before ? 1 : failures + 1;
        if (failures >= FAILURES_MAX) throw error;
        await sleep(backOffMs(RETRIES, failures));
      }
    }
    return this.#progress;
  }

  /**
   * Copies what comes to the source, until the signal is aborted.
   * @param growing the source
   */
  async follow(
    growing: Pick<EventStore, 'subscribe'>,
    options: CopyOptions & { readonly signal: AbortSignal },
  ): Promise<CopyProgress> {
    while (!options.signal.aborted) {
      await this.run(options);
      await this.#news(growing, options.signal);
    }
    return this.#progress;
  }

  /**
   * Compares every event of both logs, and their roots.
   * @throws ForeignTargetError with the number of the first event that differs
   */
  async compare(): Promise<LogComparison> {
    const tree = new Frontier();
    const seam = await this.#walk(START, (leaf) => tree.push(leaf));
    for await (const [left] of this.source.readAll({ after: seam.source, maxCount: 1 })) {
      if (left) throw new ForeignTargetError(`the target lacks event ${seam.copied + 1}`);
    }
    return { events: tree.size, root: tree.root().toString('hex') };
  }

  async #news(growing: Pick<EventStore, 'subscribe'>, signal: AbortSignal): Promise<void> {
    const { position: after } = this.#progress;
    for await (const { events } of growing.subscribe({ after, signal })) {
      if (events.length > 0) return;
    }
  }

  /** Passes over the events that the target has. */
  async #align(): Promise<void> {
    this.#seam = await this.#walk(this.#seam, () => undefined);
    this.#progress = { copied: this.#seam.copied, position: this.#seam.source };
  }

  /** Walks over both logs up to the end of the target. */
  async #walk(from: Seam, onLeaf: (leaf: Buffer) => void): Promise<Seam> {
    const sources = eventsOf(this.source, from.source);
    let seam = from;
    try {
      for await (const copy of eventsOf(this.target, from.target)) {
        const { value: event } = await sources.next();
        const number = seam.copied + 1;
        if (!event) throw new ForeignTargetError(`the source has no event ${number}`);
        const leaf = this.#leafOf(event);
        if (!leaf.equals(this.#leafOf(copy))) {
          throw new ForeignTargetError(
            `event ${number} is ${nameOf(event)} in the source and ${nameOf(copy)} in the ` +
              'target; a copy begins with an empty target',
          );
        }
        onLeaf(leaf);
        seam = { copied: number, source: event.position, target: copy.position };
      }
    } finally {
      await sources.return(undefined);
    }
    return seam;
  }

  /** One page is read while the one before it is written. */
  async #append(options: CopyOptions): Promise<void> {
    let writing = Promise.resolve();
    try {
      for await (const page of this.source.readAll({ after: this.#seam.source })) {
        await writing;
        if (options.signal?.aborted === true) return;
        writing = this.#write(page, options);
        // It is awaited with the next page; until then a failure has no other handler.
        writing.catch(() => undefined);
      }
    } finally {
      await writing;
    }
  }

  async #write(
    page: readonly RecordedEvent[],
    { onProgress, oneByOne = false, signal }: CopyOptions,
  ): Promise<void> {
    for (const batch of batchesOf(page)) {
      if (signal?.aborted === true) return;
      await this.#inOrder(batch, oneByOne || this.#progress.copied < this.#carefulUpTo);
      const last = batch.at(-1)?.events.at(-1);
      if (!last) continue;
      const count = batch.reduce((sum, { events }) => sum + events.length, 0);
      this.#progress = { copied: this.#progress.copied + count, position: last.position };
      onProgress?.(this.#progress);
    }
  }

  async #inOrder(batch: readonly OrderedAppend[], oneByOne: boolean): Promise<void> {
    if (this.target.appendInOrder && !oneByOne) return this.target.appendInOrder(batch);
    for (const { stream, events, expected } of batch) {
      await this.target.append(stream, events, expected);
    }
  }

  #leafOf(event: RecordedEvent): Buffer {
    return this.#hasher.leafHash(storedFieldsOf(event));
  }
}

async function* eventsOf(
  eventStore: Pick<EventStore, 'readAll'>,
  after: Position,
): AsyncGenerator<RecordedEvent, undefined, void> {
  for await (const page of eventStore.readAll({ after })) yield* page;
  return undefined;
}

const nameOf = ({ stream, revision, type }: RecordedEvent): string =>
  `${type} at revision ${revision} of ${stream}`;

/** A repeat meets the same again. */
const isFinal = (error: unknown): boolean =>
  error instanceof ForeignTargetError ||
  error instanceof StaleRevisionError ||
  error instanceof AppendTooLargeError ||
  error instanceof InvalidAppendError;
