import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import { listenWhenReachable } from '#platform/jobs/listen-when-reachable.js';
import { within } from '#platform/kernel/within.js';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';
import {
  type ProbeMessage,
  ProbeResult,
  probeResultsTopicOf,
  probesTopicOf,
} from './probe.protocol.js';
import { rigNumberOf } from './rig-name.js';
import {
  HEARTBEAT_MS,
  HEARTBEATS_TOPIC,
  MISSED_HEARTBEATS_MAX,
  WorkerHeartbeat,
} from './worker-heartbeat.js';

export interface WorkerDirectoryOptions {
  readonly bus: Pick<Bus, 'publish' | 'listen'>;
  /** The name of this process. */
  readonly instance: string;
  readonly logger: Pick<Logger, 'warn'>;
  /** How often workers report; default `HEARTBEAT_MS`. */
  readonly heartbeatMs?: number;
  /** How long a measurement may take; default 12 s, which is longer than its two transfers. */
  readonly measureMs?: number;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
}

const WORKERS_MAX = 10_000;
const MEASURE_MS = 12_000;
/** A timed transfer of 4 MiB: a third of a second at 100 Mbit/s. */
const CHUNKS = 8;
/** How long the first answer may take, in heartbeats. */
const REACH_BEATS_MAX = 2;
/** Round trips of a ping; an odd number has a median. */
const PINGS = 3;
/** A worker that is slower has no ping. */
const PING_MS = 1_000;

/** A message that a worker answers to this process. */
type Question =
  | { readonly kind: 'measure'; readonly to: string; readonly chunks: number }
  | { readonly kind: 'ping' };

/** A rig of a worker, as this process has heard it last. */
export interface HeardRig {
  readonly heartbeat: WorkerHeartbeat;
  /** Whether it has missed several heartbeats. */
  readonly isSilent: boolean;
}

interface Seen {
  readonly heartbeat: WorkerHeartbeat;
  readonly atMs: number;
}

/** Which workers report now, and how fast the way between two of them is. */
export class WorkerDirectory {
  readonly #stopping = new AbortController();
  readonly #seen = growingCache<Seen>(WORKERS_MAX);
  /** By the name of the rig: the worker that was started last. */
  readonly #rigs = growingCache<Seen>(WORKERS_MAX);
  /** By the number of the rig. */
  readonly #numbers = growingCache<Seen>(WORKERS_MAX);
  readonly #results = new Map<string, (result: ProbeResult | null) => void>();
  readonly #heartbeatMs: number;
  readonly #nowMs: () => number;
  #listening: Promise<readonly (Listener | null)[]> = Promise.resolve([]);
  #complete: Promise<unknown> | undefined;

  constructor(private readonly options: WorkerDirectoryOptions) {
    this.#heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  start(): void {
    const { bus, instance, logger } = this.options;
    const { signal } = this.#stopping;
    const listenTo = (topic: string, handle: (message: BusMessage) => void) =>
      listenWhenReachable({ bus, logger, topic, handle }, signal);
    this.#listening = Promise.all([
      listenTo(HEARTBEATS_TOPIC, ({ data }) => this.#see(WorkerHeartbeat.parse(data))),
      listenTo(probeResultsTopicOf(instance), ({ data }) => this.#finish(ProbeResult.parse(data))),
    ]);
    this.#complete = this.#listening
      .then(() => sleep(this.#heartbeatMs * 1.2, undefined, { signal, ref: false }))
      .catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const finish of this.#results.values()) finish(null);
    for (const listener of await this.#listening) await listener?.close();
  }

  /**
   * The last heartbeat of each worker that takes tasks, by name. Right after a start it waits until
   * each worker must have reported once.
   * @throws TimedOutError where the bus could not be reached by then
   */
  async ready(): Promise<readonly WorkerHeartbeat[]> {
    await within(this.#complete ?? Promise.resolve(), REACH_BEATS_MAX * this.#heartbeatMs);
    return [...this.#seen.values()]
      .filter((seen) => seen.heartbeat.status === 'ready' && !this.#isSilent(seen))
      .map(({ heartbeat }) => heartbeat)
      .toSorted((one, other) => (one.worker < other.worker ? -1 : 1));
  }

  /** The rig of this name or number; undefined for one that was never heard. Does not wait. */
  rig(pin: string): HeardRig | undefined {
    const seen = this.#rigs.get(pin) ?? this.#numbers.get(pin);
    return seen && { heartbeat: seen.heartbeat, isSilent: this.#isSilent(seen) };
  }

  #isSilent({ atMs }: Seen): boolean {
    return atMs <= this.#nowMs() - MISSED_HEARTBEATS_MAX * this.#heartbeatMs;
  }

  /** Kilobits in a second by a timed transfer, or null where it did not succeed. */
  async measure(from: string, to: string): Promise<number | null> {
    const { measureMs = MEASURE_MS } = this.options;
    return speedOf(await this.#ask(from, { kind: 'measure', to, chunks: CHUNKS }, measureMs));
  }

  /**
   * Milliseconds over the bus to a worker and back, the median of three, or null where one of them
   * did not return.
   */
  async ping(worker: string): Promise<number | null> {
    const trips: number[] = [];
    while (trips.length < PINGS) {
      const startedMs = this.#nowMs();
      if (!(await this.#ask(worker, { kind: 'ping' }, PING_MS))) return null;
      trips.push(this.#nowMs() - startedMs);
    }
    const median = trips.toSorted((one, other) => one - other)[(PINGS - 1) / 2] ?? 0;
    return Math.round(median * 10) / 10;
  }

  /** Null where no result came in time. */
  async #ask(worker: string, question: Question, waitMs: number): Promise<ProbeResult | null> {
    if (this.#stopping.signal.aborted) return null;
    const { bus, instance, logger } = this.options;
    const probe = randomUUID();
    const result = Promise.withResolvers<ProbeResult | null>();
    const timer = setTimeout(() => result.resolve(null), waitMs);
    this.#results.set(probe, (finished) => result.resolve(finished));
    try {
      const data = { ...question, probe, replyTo: instance } satisfies ProbeMessage;
      const message = { key: probe, id: randomUUID(), headers: {}, data };
      await bus.publish(probesTopicOf(worker), [message]);
      return await result.promise;
    } catch (error) {
      logger.warn({ err: error, worker }, 'a worker could not be asked for a measurement');
      return null;
    } finally {
      clearTimeout(timer);
      this.#results.delete(probe);
    }
  }

  #see(heartbeat: WorkerHeartbeat): void {
    const seen = { heartbeat, atMs: this.#nowMs() };
    this.#seen.set(heartbeat.worker, seen);
    const ofRig = this.#rigs.get(heartbeat.rig.name)?.heartbeat;
    const isLater = ofRig === undefined || heartbeat.startedAt >= ofRig.startedAt;
    if (!isLater) return;
    this.#rigs.set(heartbeat.rig.name, seen);
    this.#numbers.set(String(rigNumberOf(heartbeat.rig.name)), seen);
  }

  #finish(result: ProbeResult): void {
    this.#results.get(result.probe)?.(result);
  }
}

const BITS = 8;

/** Bits in a millisecond are kilobits in a second. */
const speedOf = (result: ProbeResult | null): number | null => {
  if (result?.kind !== 'measured' || result.elapsedMs === null) return null;
  return Math.round((result.bytes * BITS) / result.elapsedMs);
};
