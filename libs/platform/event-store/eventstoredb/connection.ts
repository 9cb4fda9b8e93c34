import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { within } from '#platform/kernel/within.js';
import { encodeAppend } from '../append.encoding.js';
import { StaleRevisionError, StoreUnavailableError } from '../event-store.errors.js';
import { type EventToAppend } from '../event-store.port.js';
import { isDenied, isUnavailable, messageOf } from './client-errors.js';
import { type LogClient } from './log-client.js';

export interface ConnectionOptions {
  /** Makes a client; it connects when it is first used. */
  readonly connect: () => LogClient;
  /** How long a server may take to answer one probe, in milliseconds. */
  readonly probeTimeoutMs: number;
  readonly logger: Logger | undefined;
}

/** Why an append would fail. */
export interface Trouble {
  readonly reason: string;
  /** Whether the server denies access. */
  readonly isDenied: boolean;
}

/** Between probes. With jitter, so that the processes of a fleet do not probe in lockstep. */
const PROBES: BackOff = { firstMs: 75, maxMs: 1_500, jitter: 2 / 3 };

/** Probes after which a client that only reports an unreachable server is replaced. */
const REPLACE_EVERY = 8;

/** How long a proof that the server takes appends stays valid. */
const PROOF_MS = 2_000;

/** How long a server that answers and rejects appends counts as not writable. */
const UNWRITABLE_MS = 5_000;

/** Never written. A rejected append at this revision proves that the server accepts appends. */
const PROBE_STREAM = 'probe-connection';
const PROBE_REVISION = BigInt(Number.MAX_SAFE_INTEGER);

const PROBE_EVENT: EventToAppend = {
  id: randomUUID(),
  type: 'Probe',
  data: {},
  metadata: { version: 1, correlationId: '', causationId: '', requestId: '', actor: '' },
};

/**
 * The one client of the process for one address, and whether the server behind it takes appends.
 * After a failure it probes the server until it answers. A client whose probe fails is replaced,
 * since some faults inside a client (a cached error, a write that waits for a dead stream) are
 * permanent.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #replaced = new Set<() => void>();
  readonly #closed = new AbortController();
  #client: LogClient;
  /** Why the last probe failed; null while the server answers. */
  #trouble: Trouble | null = null;
  #provenAtMs = Number.NEGATIVE_INFINITY;
  #unwritable: { readonly trouble: Trouble; readonly atMs: number } | null = null;
  #probing: Promise<void> | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#client = options.connect();
  }

  get client(): LogClient {
    return this.#client;
  }

  /** Why an append would not be tried now, or null. */
  get trouble(): Trouble | null {
    return this.#trouble;
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** The server has decided an append. */
  answered(): void {
    this.#provenAtMs = performance.now();
    this.#unwritable = null;
  }

  /** A call failed, and the server or the connection may be the cause. */
  failed(error: unknown): void {
    this.#provenAtMs = Number.NEGATIVE_INFINITY;
    if (error instanceof StoreUnavailableError) {
      this.#unwritable = { trouble: troubleOf(error), atMs: performance.now() };
    }
    if (this.#probing !== null || this.isClosed) return;
    this.#options.logger?.warn({ reason: messageOf(error) }, 'the event store failed; probing it');
    this.#probing = this.#probe().finally(() => (this.#probing = null));
  }

  /** Resolves to whether the server answers, at the latest when the signal is aborted. */
  async usable(signal: AbortSignal): Promise<boolean> {
    if (this.#probing !== null) await unlessAborted(this.#probing, signal);
    return !signal.aborted && this.#trouble === null;
  }

  /**
   * The reason why an append would fail now, or null. Asks the server if the last check is too old.
   */
  async check(): Promise<Trouble | null> {
    const unsure = performance.now() - this.#provenAtMs > PROOF_MS;
    if (this.#trouble === null && unsure && !this.isClosed) {
      try {
        await this.#probeOnce();
      } catch (error) {
        const trouble = troubleOf(error);
        // A running probe sets and clears the trouble itself.
        if (this.#probing === null) this.#trouble = trouble;
        this.failed(error);
        return trouble;
      }
    }
    return this.#trouble ?? this.#recentlyUnwritable();
  }

  /** Calls back when another client has taken over; returns what ends that. */
  onReplaced(listener: () => void): () => void {
    this.#replaced.add(listener);
    return () => this.#replaced.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#dispose(this.#client);
  }

  async #probe(): Promise<void> {
    for (let failures = 0; !this.isClosed; failures += 1) {
      try {
        await this.#probeOnce();
        if (this.#trouble !== null) this.#options.logger?.info('the event store answers again');
        this.#trouble = null;
        return;
      } catch (error) {
        this.#trouble = troubleOf(error);
        // The client itself reconnects after a rejected connection.
        const plain = isUnavailable(error) && failures % REPLACE_EVERY < REPLACE_EVERY - 1;
        if (!plain) this.#tryToReplace();
      }
      const pauseMs = backOffMs(PROBES, failures + 1, Math.random());
      const { signal } = this.#closed;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #probeOnce(): Promise<void> {
    await Promise.all([this.#probeReading(), this.#probeAppending()]);
    this.#provenAtMs = performance.now();
  }

  async #probeAppending(): Promise<void> {
    const [stream, expected] = [PROBE_STREAM, PROBE_REVISION] as const;
    const encoded = encodeAppend(stream, [PROBE_EVENT], expected);
    const { probeTimeoutMs: deadlineMs } = this.#options;
    try {
      await this.#client.append({ stream, encoded, expected, deadlineMs });
    } catch (error) {
      if (!(error instanceof StaleRevisionError)) throw error;
    }
  }

  async #probeReading(): Promise<void> {
    const page = { direction: 'backwards', from: null, maxCount: 1 } as const;
    const stop = new AbortController();
    try {
      const reading = this.#client.readAll(page, undefined, stop.signal);
      await within(reading, this.#options.probeTimeoutMs);
    } finally {
      stop.abort();
    }
  }

  /** Only an append detects a full disk: a probe writes nothing. */
  #recentlyUnwritable(): Trouble | null {
    if (this.#unwritable === null) return null;
    return performance.now() - this.#unwritable.atMs < UNWRITABLE_MS
      ? this.#unwritable.trouble
      : null;
  }

  /** A file that the address names may be missing by now; then the client stays. */
  #tryToReplace(): void {
    if (this.isClosed) return;
    try {
      this.#replace();
    } catch (error) {
      this.#options.logger?.error({ err: error }, 'no client of the event store could be made');
    }
  }

  #replace(): void {
    const former = this.#client;
    this.#client = this.#options.connect();
    void this.#dispose(former);
    for (const listener of this.#replaced) listener();
  }

  /** Bounded: a client may wait for ever for a stream that does not end. */
  async #dispose(client: LogClient): Promise<void> {
    try {
      await within(client.dispose(), this.#options.probeTimeoutMs);
    } catch (error) {
      this.#options.logger?.debug({ err: error }, 'a client of the event store did not end');
    }
  }
}

const troubleOf = (error: unknown): Trouble => ({
  reason: messageOf(error),
  isDenied: isDenied(error),
});

/** Resolves with the promise or when the signal is aborted, whichever comes first. */
const unlessAborted = async (promise: Promise<void>, signal: AbortSignal): Promise<void> => {
  const aborted = Promise.withResolvers<undefined>();
  const stop = () => aborted.resolve(undefined);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  await Promise.race([promise, aborted.promise]);
  signal.removeEventListener('abort', stop);
};
