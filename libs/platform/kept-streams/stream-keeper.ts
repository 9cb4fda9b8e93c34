import { type Logger } from 'pino';
import { type Clock } from '#platform/kernel/clock.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type SubjectKeys } from '#platform/secrets/subject-keys.js';
import {
  cancelKey,
  KEPT_STREAMS,
  pageField,
  pageKey,
  readersKey,
  type StreamDocument,
  stateKey,
} from './kept-stream.documents.js';
import { beatMsOf, FLUSH_MS, type KeptStreamTimes } from './kept-stream.times.js';

export interface NewKeptStream {
  /** A UUID that no other stream has. */
  readonly streamId: string;
  readonly accountId: string;
  /** Whose key seals the events, such as `user:7`. */
  readonly subject: string;
  /** A keyed hash of the request, which a repeat of it has again. */
  readonly requestHash: string;
  /** The interface whose events these are. */
  readonly form: string;
}

export interface KeeperParts {
  readonly readStore: ReadStore;
  readonly subjects: SubjectKeys;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly times: KeptStreamTimes;
  /** Of one stream, in UTF-8. Default: `KEPT_BYTES_MAX`. */
  readonly bytesMax?: number;
}

const KEPT_BYTES_MAX = 8 * 1_024 ** 2;
/** Above this, a page is written at once. */
const PAGE_BYTES = 64 * 1_024;
/** Above this, `append` waits for the store. */
const WAITING_BYTES_MAX = 256 * 1_024;

/**
 * Writes the events of one stream in pages, each sealed. Its methods do not reject: a stream that
 * cannot be kept is answered all the same.
 */
export class StreamKeeper {
  readonly #beat: NodeJS.Timeout;
  readonly #cancelling = new AbortController();
  #waiting: string[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #events = 0;
  #writes = 0n;
  #end: StreamDocument['end'] = 'open';
  #isKept = true;
  #flush: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  private constructor(
    private readonly stream: NewKeptStream,
    private readonly parts: KeeperParts,
  ) {
    this.#beat = setInterval(() => void this.#write(), beatMsOf(parts.times)).unref();
  }

  /** Resolves when readers find the stream, or when it is known that it cannot be kept. */
  static async begin(stream: NewKeptStream, parts: KeeperParts): Promise<StreamKeeper> {
    const keeper = new StreamKeeper(stream, parts);
    await keeper.#write();
    return keeper;
  }

  /** Whether a reader will find every event; false for ever once it is. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /**
   * Aborts once a reader has asked for the end of the stream: at the next write, within
   * milliseconds of an event and within a sixteenth of the grace in silence.
   */
  get cancelled(): AbortSignal {
    return this.#cancelling.signal;
  }

  /** Waits while much is unwritten, so that memory is bounded. */
  async append(events: readonly string[]): Promise<void> {
    if (!this.#isKept) return;
    const { bytesMax = KEPT_BYTES_MAX } = this.parts;
    for (const event of events) {
      const bytes = Buffer.byteLength(event);
      this.#bytes += bytes;
      if (this.#bytes > bytesMax) return this.#close('too-long');
      this.#waiting.push(event);
      this.#waitingBytes += bytes;
    }
    if (this.#waitingBytes >= PAGE_BYTES) void this.#write();
    else this.#flush ??= setTimeout(() => void this.#write(), FLUSH_MS).unref();
    while (this.#waitingBytes > WAITING_BYTES_MAX) await this.#write();
  }

  /** Resolves when readers find every event and the end. */
  async end(): Promise<void> {
    if (this.#isKept) await this.#close('ended');
  }

  /** Changes while the stream is followed; null before that, and where it is not known. */
  async readers(): Promise<bigint | null> {
    const { readStore } = this.parts;
    const found = await readStore
      .get(KEPT_STREAMS, readersKey(this.stream.streamId))
      .catch(() => undefined);
    return found?.position ?? null;
  }

  async #close(end: StreamDocument['end']): Promise<void> {
    while (this.#writing) await this.#writing;
    this.#end = end;
    await this.#write();
    this.#stop();
  }

  #stop(): void {
    this.#isKept = false;
    this.#waiting = [];
    this.#waitingBytes = 0;
    clearInterval(this.#beat);
    clearTimeout(this.#flush);
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeWaiting().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      await this.#commit(events);
      await this.#lookForCancel();
    } catch (error) {
      if (!this.#isKept) return;
      this.#stop();
      const { streamId } = this.stream;
      this.parts.logger.warn({ err: error, streamId }, 'a resumable stream is kept no longer');
    }
  }

  async #lookForCancel(): Promise<void> {
    if (this.#end !== 'open' || this.cancelled.aborted) return;
    const { readStore } = this.parts;
    const found = await readStore.get(KEPT_STREAMS, cancelKey(this.stream.streamId));
    if (found) this.#cancelling.abort();
  }

  /** The page comes before the state, so that a reader of the state finds the page. */
  async #commit(events: readonly string[]): Promise<void> {
    const { streamId, subject, ...stream } = this.stream;
    const { readStore, subjects, clock } = this.parts;
    this.#events += events.length;
    const last = this.#events;
    const state: StreamDocument = {
      ...stream,
      subject,
      events: last,
      end: this.#end,
      writtenAtMs: clock.now(),
    };
    this.#writes += 1n;
    const stateWrite = {
      collection: KEPT_STREAMS,
      key: stateKey(streamId),
      document: state,
      position: this.#writes,
    };
    if (events.length === 0) return readStore.commit({ writes: [stateWrite] });
    const sealed = await subjects.seal(subject, pageField(streamId, last), JSON.stringify(events));
    const key = pageKey(streamId, last);
    const page = { collection: KEPT_STREAMS, key, document: { sealed }, position: 1n };
    await readStore.commit({ writes: [page, stateWrite] });
  }
}
