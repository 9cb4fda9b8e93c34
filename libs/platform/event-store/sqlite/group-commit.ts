import { type Clock } from '#platform/kernel/clock.js';
import { type EncodedAppend, encodeAppend, FIELDS_PER_EVENT } from '../append.encoding.js';
import {
  StaleRevisionError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from '../event-store.errors.js';
import {
  type AppendResult,
  type EventToAppend,
  type ExpectedRevision,
  type RecordedEvent,
  type StreamName,
} from '../event-store.port.js';
import { WrittenEvent } from '../event.chain.js';
import {
  EXPECTED_CODE,
  FIELDS_PER_OUTCOME,
  VERDICT,
  type WriterReply,
  type WriterSettings,
} from './writer.protocol.js';
import { WriterThread } from './writer.thread.js';

/** Bound one message and one transaction, and with them the longest hold of the main loop. */
const GROUP_APPENDS_MAX = 512;
const GROUP_UNITS_MAX = 8 * 1_048_576;

type Appended = Extract<WriterReply, { kind: 'appended' }>;

/** A group that the writer has. */
interface SentGroup {
  readonly appends: readonly PendingAppend[];
  readonly units: number;
  /** Milliseconds since the Unix epoch. */
  readonly recordedAtMs: number;
  readonly sentAtMs: number;
}

interface PendingAppend {
  readonly stream: StreamName;
  readonly events: readonly EventToAppend[];
  readonly encoded: EncodedAppend;
  readonly expected: ExpectedRevision;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/** A group that was committed, for live subscriptions. */
export interface CommittedGroup {
  /** The log's last position before the group; the group's own follow without a gap. */
  readonly after: number;
  readonly last: number;
  /** As in the port. */
  readonly sentAtMs: number;
  /** UTF-16 units of all that was appended: a bound for buffers. */
  readonly units: number;
  /** Data and metadata are the appended ones by reference. */
  readonly events: readonly RecordedEvent[];
}

/**
 * The calling thread's side of the writer: collects the appends of one turn of the event loop, or
 * of the time that a commit takes, and sends them down as one group.
 */
export class GroupCommit {
  readonly #settings: WriterSettings;
  readonly #clock: Clock;
  readonly #onCommitted: (group: CommittedGroup) => void;
  #writer: WriterThread;
  #queue: PendingAppend[] = [];
  #state: 'idle' | 'scheduled' | 'committing' = 'idle';
  #closed = false;
  #reviving: Promise<{ writer: WriterThread }> | null = null;
  #whenIdle: (() => void) | null = null;
  /** Why the last group failed, or null when it did not. */
  #trouble: string | null = null;

  /** @param onCommitted called before the appends of the group resolve */
  constructor(
    writer: WriterThread,
    settings: WriterSettings,
    clock: Clock,
    onCommitted: (group: CommittedGroup) => void,
  ) {
    this.#writer = writer;
    this.#settings = settings;
    this.#clock = clock;
    this.#onCommitted = onCommitted;
  }

  get committing(): boolean {
    return this.#state === 'committing';
  }

  append(
    stream: StreamName,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new StoreUnavailableError('the event store is closed');
      const encoded = encodeAppend(stream, events, expected);
      this.#queue.push({ stream, events, encoded, expected, resolve, reject });
      if (this.#state === 'idle') {
        this.#state = 'scheduled';
        setImmediate(this.#commitNext);
      }
    });
  }

  /**
   * Probes the disk after a failed group: without appends nothing else would notice the recovery.
   */
  async trouble(): Promise<string | null> {
    if (this.#closed) return 'the event store is closed';
    if (this.#trouble === null) return null;
    try {
      await this.#revive();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    const reply = await new Promise<WriterReply | null>((resolve) => {
      this.#writer.request({ kind: 'probe' }, resolve);
    });
    this.#trouble = reply?.kind === 'probed' ? reply.reason : this.#writer.exitReason;
    return this.#trouble;
  }

  /** Rejects new appends and waits for the pending ones. */
  async drain(): Promise<void> {
    this.#closed = true;
    if (this.#state === 'idle') return;
    await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  async close(): Promise<void> {
    // A writer that is starting would outlive the store.
    await this.#reviving?.catch(() => undefined);
    await this.#writer.close();
  }

  readonly #commitNext = (): void => {
    if (this.#queue.length === 0) {
      this.#state = 'idle';
      this.#whenIdle?.();
      return;
    }
    this.#state = 'committing';
    if (this.#writer.alive) this.#send(this.#takeGroup());
    else void this.#reviveAndCommit();
  };

  #takeGroup(): readonly PendingAppend[] {
    let appends = 0;
    let units = 0;
    for (const { encoded } of this.#queue) {
      units += encoded.units;
      if (appends === GROUP_APPENDS_MAX || (appends > 0 && units > GROUP_UNITS_MAX)) break;
      appends += 1;
    }
    if (appends < this.#queue.length) return this.#queue.splice(0, appends);
    const group = this.#queue;
    this.#queue = [];
    return group;
  }

  #send(appends: readonly PendingAppend[]): void {
    const recordedAtMs = this.#clock.now();
    const fields: (string | number)[] = [];
    let units = 0;
    for (const { stream, events, encoded, expected } of appends) {
      units += encoded.units;
      fields.push(
        stream,
        typeof expected === 'bigint' ? Number(expected) : EXPECTED_CODE[expected],
        events.length,
      );
      let field = 0;
      for (const { recordedAt } of events) {
        for (const end = field + FIELDS_PER_EVENT; field < end; field += 1) {
          fields.push(encoded.fields[field] as string);
        }
        fields.push(recordedAt === undefined ? recordedAtMs : Date.parse(recordedAt));
      }
    }
    const sent = { appends, units, recordedAtMs, sentAtMs: performance.now() };
    this.#writer.request({ kind: 'append', fields }, (reply) => {
      // The next group has all that the rest of this turn appends: fewer groups cost less.
      setImmediate(this.#commitNext);
      this.#settle(sent, reply);
    });
  }

  #settle(sent: SentGroup, reply: WriterReply | null): void {
    if (reply?.kind === 'appended') {
      this.#trouble = null;
      const { after, outcomes } = reply;
      const { units, sentAtMs } = sent;
      const events = recordedEvents(sent, reply);
      this.#onCommitted({ after, last: after + events.length, sentAtMs, units, events });
      settleCallers(sent.appends, outcomes);
      return;
    }
    const certain = reply?.kind === 'failed' && reply.certain;
    this.#trouble = reply?.kind === 'failed' ? reply.reason : this.#writer.exitReason;
    const Failure = certain ? StoreUnavailableError : UnknownOutcomeError;
    for (const { reject } of sent.appends) reject(new Failure(this.#trouble));
  }

  /** Starts a writer where there is none; concurrent calls share one start. */
  async #revive(): Promise<void> {
    if (this.#writer.alive) return;
    this.#reviving ??= WriterThread.start(this.#settings).finally(() => (this.#reviving = null));
    const { writer } = await this.#reviving;
    this.#writer = writer;
  }

  /** The queue was never sent to the writer that ended, so a new one can take it. */
  async #reviveAndCommit(): Promise<void> {
    try {
      await this.#revive();
      this.#send(this.#takeGroup());
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
      for (const { reject } of this.#queue.splice(0)) {
        reject(new StoreUnavailableError(this.#trouble));
      }
      this.#commitNext();
    }
  }
}

const settleCallers = (group: readonly PendingAppend[], outcomes: readonly number[]): void => {
  let at = 0;
  for (const { stream, expected, resolve, reject } of group) {
    const revision = outcomes[at + 1] ?? 0;
    if (outcomes[at] === VERDICT.stale) {
      reject(new StaleRevisionError(stream, expected, revision < 0 ? null : BigInt(revision)));
    } else resolve({ revision: BigInt(revision), position: BigInt(outcomes[at + 2] ?? 0) });
    at += FIELDS_PER_OUTCOME;
  }
};

const recordedEvents = (
  { appends, recordedAtMs }: SentGroup,
  { after, outcomes, leaves }: Appended,
): readonly RecordedEvent[] => {
  const now = new Date(recordedAtMs).toISOString();
  const recorded: RecordedEvent[] = [];
  let at = 0;
  for (const { stream, events } of appends) {
    if (outcomes[at] === VERDICT.appended) {
      let revision = (outcomes[at + 1] ?? 0) - events.length;
      for (const event of events) {
        revision += 1;
        const leaf = recorded.length;
        const place = { stream, revision: BigInt(revision), position: BigInt(after + leaf + 1) };
        recorded.push(new WrittenEvent(event, place, event.recordedAt ?? now, leaves, leaf));
      }
    }
    at += FIELDS_PER_OUTCOME;
  }
  return recorded;
};
