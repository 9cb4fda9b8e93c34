import { setTimeout as delay } from 'node:timers/promises';
import { LoadConnection } from './load-connection.js';
import { percentile } from './percentile.js';
import { type Footprint, footprintOf } from './process-tree.js';
import { requestBody, type Workload } from './workload.js';

/** One measurement: what to send, to whom, for how long. */
export interface LoadOrder extends Workload {
  readonly port: number;
  /** Root of the process tree whose CPU and memory are charged. */
  readonly pid: number;
  /** Roots of the processes that work for it and whose CPU is shown beside its own. */
  readonly behindPids: readonly number[];
  readonly model: string;
  /** One request in turn with each key. */
  readonly apiKeys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly warmUpMs: number;
  readonly windowMs: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicrosPerRequest: number;
  /** With those behind it. */
  readonly cpuMicrosPerRequestInAll: number;
  readonly rssBytes: number;
  /** Answers since the window began that paused for far longer than their pace. */
  readonly stalled: number;
  /** Wrong answers, in the warm-up too. */
  readonly failures: number;
  /** Right answers, in the warm-up and after the window too. */
  readonly answered: number;
  readonly firstFailure: string | null;
}

/** A peer that refuses everything would otherwise be asked in a hot loop. */
const FAILURES_MAX = 100;
const DRAIN_MS_MAX = 10_000;
/** A stream that pauses for this many of its intervals has stalled. */
const STALL_INTERVALS = 10;

const requestBytes = (order: LoadOrder, apiKey: string): Buffer => {
  const body = requestBody(order.model, order.streaming, order.promptBytes, order.paceMs);
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `host: 127.0.0.1:${order.port}`,
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(order.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
};

interface Footprints {
  readonly own: Footprint;
  readonly cpuMicrosInAll: number;
}

class LoadRun {
  readonly #requests: readonly Buffer[];
  readonly #connections: readonly LoadConnection[];
  #latenciesMs: number[] = [];
  #sent = 0;
  #underWay = 0;
  #stalled = 0;
  #failures = 0;
  #answered = 0;
  #firstFailure: string | null = null;
  #stopping = false;

  constructor(private readonly order: LoadOrder) {
    this.#requests = order.apiKeys.map((apiKey) => requestBytes(order, apiKey));
    const { connections, port, streaming } = order;
    this.#connections = Array.from(
      { length: connections },
      () => new LoadConnection(port, streaming),
    );
  }

  async measure(): Promise<LoadResult> {
    for (const connection of this.#connections) this.#next(connection);
    await delay(this.order.warmUpMs);
    this.#latenciesMs = [];
    this.#stalled = 0;
    const before = this.#footprints();
    const startedAtMs = performance.now();
    await delay(this.order.windowMs);
    const elapsedMs = performance.now() - startedAtMs;
    const latenciesMs = Float64Array.from(this.#latenciesMs).sort();
    const after = this.#footprints();
    await this.#drain();
    return this.#result(latenciesMs, elapsedMs, before, after);
  }

  #next(connection: LoadConnection): void {
    const request = this.#requests[this.#sent % this.#requests.length];
    if (this.#stopping || request === undefined) return;
    this.#sent += 1;
    this.#underWay += 1;
    const sentAtMs = performance.now();
    connection.send(request, (defect) => {
      this.#underWay -= 1;
      if (defect === undefined) this.#succeed(performance.now() - sentAtMs, connection.pauseMsMax);
      else this.#fail(defect);
      // A refused connection answers at once: leave the stack before trying again.
      if (defect === undefined) this.#next(connection);
      else setImmediate(() => this.#next(connection));
    });
  }

  #footprints(): Footprints {
    const own = footprintOf(this.order.pid);
    const behind = this.order.behindPids.map((pid) => footprintOf(pid).cpuMicros);
    return { own, cpuMicrosInAll: behind.reduce((sum, one) => sum + one, own.cpuMicros) };
  }

  #succeed(latencyMs: number, pauseMsMax: number): void {
    this.#answered += 1;
    const stallMs = (this.order.paceMs ?? Infinity) * STALL_INTERVALS;
    if (pauseMsMax >= stallMs) this.#stalled += 1;
    this.#latenciesMs.push(latencyMs);
  }

  #fail(defect: string): void {
    this.#failures += 1;
    this.#firstFailure ??= defect;
    if (this.#failures >= FAILURES_MAX) this.#stopping = true;
  }

  async #drain(): Promise<void> {
    this.#stopping = true;
    const deadlineMs = performance.now() + DRAIN_MS_MAX;
    while (this.#underWay > 0 && performance.now() < deadlineMs) await delay(5);
    for (const connection of this.#connections) connection.close();
  }

  #result(
    latenciesMs: Float64Array,
    elapsedMs: number,
    before: Footprints,
    after: Footprints,
  ): LoadResult {
    const requests = latenciesMs.length;
    return {
      requests,
      requestsPerSecond: (requests * 1000) / elapsedMs,
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      cpuMicrosPerRequest: (after.own.cpuMicros - before.own.cpuMicros) / requests,
      cpuMicrosPerRequestInAll: (after.cpuMicrosInAll - before.cpuMicrosInAll) / requests,
      rssBytes: after.own.rssBytes,
      stalled: this.#stalled,
      failures: this.#failures,
      answered: this.#answered,
      firstFailure: this.#firstFailure,
    };
  }
}

export const runLoad = (order: LoadOrder): Promise<LoadResult> => new LoadRun(order).measure();
