import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { SpanOfHeartbeats } from './heard-rig.js';
import { type HeardSpan, type MissRig } from './worker-rig.decider.js';

/** One process of a worker, as the registrar hears it. Instants are milliseconds of its clock. */
export class WatchedRig {
  readonly rig: string;
  readonly node: string;
  readonly startedAt: string;
  #heartbeats = new SpanOfHeartbeats();
  #last: WorkerHeartbeat | undefined;
  #heardAtMs = 0;
  #reported: string | null = null;
  #spanFromMs = 0;

  constructor({ rig, node, startedAt }: Pick<WatchedRig, 'rig' | 'node' | 'startedAt'>) {
    this.rig = rig;
    this.node = node;
    this.startedAt = startedAt;
  }

  /** The name of its worker; null until it was heard. */
  get worker(): string | null {
    return this.#last?.worker ?? null;
  }

  get takesTasks(): boolean {
    return this.#last?.status === 'ready' || this.#last?.status === 'not_ready';
  }

  hear(heartbeat: WorkerHeartbeat, nowMs: number): void {
    if (this.#last === undefined) this.#spanFromMs = nowMs;
    this.#last = heartbeat;
    this.#heardAtMs = nowMs;
    this.#heartbeats.add(heartbeat);
  }

  /** Known from the log only: its silence counts from now on. */
  expect(nowMs: number): void {
    this.#heardAtMs = nowMs;
  }

  isSilent(nowMs: number, silenceMs: number): boolean {
    return nowMs - this.#heardAtMs >= silenceMs;
  }

  /**
   * The news to report, or null where the heartbeats since the last report say nothing new.
   * @param key the state in the last heartbeat
   */
  news(key: string, nowMs: number, summaryMs: number): HeardSpan | null {
    const isDue = nowMs - this.#spanFromMs >= summaryMs;
    if (key === this.#reported && !isDue) return null;
    const { span } = this.#heartbeats;
    this.#reported = key;
    if (isDue) {
      this.#heartbeats = new SpanOfHeartbeats();
      this.#spanFromMs = nowMs;
    }
    return span;
  }

  /** The report was not recorded: the next heartbeat is the retry. */
  forget(): void {
    this.#reported = null;
  }

  missed(missedAt: string): MissRig['data'] {
    const { rig, node, startedAt } = this;
    const { span } = this.#heartbeats;
    return {
      rig,
      node,
      startedAt,
      lastHeardAt: new Date(this.#heardAtMs).toISOString(),
      missedAt,
      isExpected: this.#last?.status === 'stopping',
      span: span.heartbeats > 0 ? span : null,
    };
  }
}
