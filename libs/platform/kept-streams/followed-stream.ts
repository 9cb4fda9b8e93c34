import { setTimeout as pause } from 'node:timers/promises';
import { type ReadStore, type StoredDocument } from '#platform/read-store/read-store.port.js';
import { type SubjectKeys } from '#platform/secrets/subject-keys.js';
import {
  cancelKey,
  KEPT_STREAMS,
  lastEventOf,
  type PageDocument,
  pageField,
  pageKey,
  pagesPrefix,
  readersKey,
  type StreamDocument,
  stateKey,
} from './kept-stream.documents.js';
import { KeptStreamError } from './kept-stream.errors.js';
import { type KeptStreamTimes, lostMsOf, markMsOf, POLL_MS } from './kept-stream.times.js';

export interface ReaderParts {
  readonly readStore: ReadStore;
  readonly subjects: SubjectKeys;
  readonly times: KeptStreamTimes;
}

/** Read at once: about a megabyte. */
const PAGES_MAX = 16;

/** A kept stream of an account. */
export class FollowedStream {
  constructor(
    readonly streamId: string,
    /** As it was found. */
    readonly state: StreamDocument,
    private readonly parts: ReaderParts,
  ) {}

  /**
   * Everything after an event, then live. Ends after the last event, or without an error when the
   * signal aborts.
   * @param after the number of an event; 0 for all
   * @throws KeptStreamError once everything that is kept has been yielded
   */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<readonly string[], void, void> {
    const silence = new Silence(lostMsOf(this.parts.times));
    let read = after;
    let markedAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const state = await this.#state();
      for await (const events of this.#pagesAfter(read)) {
        read += events.length;
        yield events;
      }
      const { end, events } = state.document;
      if (read >= events && end === 'ended') return;
      if (read >= events && end === 'too-long') throw new KeptStreamError('too-long');
      if (silence.isOver(state.position)) throw new KeptStreamError('lost');
      if (performance.now() - markedAt >= markMsOf(this.parts.times)) {
        // Without its mark, a stream may be cut at the end of its grace; its reader learns that.
        await this.#mark().catch(() => undefined);
        markedAt = performance.now();
      }
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Asks the process of the stream to end it; one that has ended stays as it is. */
  async cancel(): Promise<void> {
    const key = cancelKey(this.streamId);
    const write = { collection: KEPT_STREAMS, key, document: {}, position: 1n };
    await this.parts.readStore.commit({ writes: [write] });
  }

  async #state(): Promise<StoredDocument<StreamDocument>> {
    const key = stateKey(this.streamId);
    const found = await this.parts.readStore.get<StreamDocument>(KEPT_STREAMS, key);
    if (!found) throw new KeptStreamError('gone');
    return found;
  }

  async *#pagesAfter(after: number): AsyncGenerator<readonly string[], void, void> {
    let read = after;
    for (;;) {
      const pages = await this.parts.readStore.list<PageDocument>(KEPT_STREAMS, {
        prefix: pagesPrefix(this.streamId),
        from: pageKey(this.streamId, read + 1),
        limit: PAGES_MAX,
      });
      for (const { key, document } of pages) {
        const last = lastEventOf(key);
        const events = await this.#open(last, document);
        yield events.slice(read - last);
        read = last;
      }
      if (pages.length < PAGES_MAX) return;
    }
  }

  async #open(last: number, { sealed }: PageDocument): Promise<readonly string[]> {
    const { subject } = this.state;
    const text = await this.parts.subjects.open(subject, pageField(this.streamId, last), sealed);
    if (text === null) throw new KeptStreamError('gone');
    return JSON.parse(text) as readonly string[];
  }

  /** Several readers may write the same position: it differs from the one before them all. */
  async #mark(): Promise<void> {
    const { readStore } = this.parts;
    const key = readersKey(this.streamId);
    const before = await readStore.get(KEPT_STREAMS, key);
    const position = (before?.position ?? 0n) + 1n;
    await readStore.commit({ writes: [{ collection: KEPT_STREAMS, key, document: {}, position }] });
  }
}

/** The most that one look adds: a reader that stood still has not seen the others be silent. */
const LOOK_MS_MAX = 1.5 * POLL_MS;

/** For how long a state has not been written, by the clock of the reader alone. */
class Silence {
  #position: bigint | undefined;
  #lookedAt = performance.now();
  #ms = 0;

  constructor(private readonly msMax: number) {}

  isOver(position: bigint): boolean {
    const now = performance.now();
    const sinceLook = Math.min(now - this.#lookedAt, LOOK_MS_MAX);
    this.#ms = this.#position === position ? this.#ms + sinceLook : 0;
    this.#position = position;
    this.#lookedAt = now;
    return this.#ms >= this.msMax;
  }
}
