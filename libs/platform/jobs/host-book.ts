import { attemptKey, type JobAsk } from './job.protocol.js';
import { type HostSlots } from './job-queue.js';
import { type HeldJob } from './open-job.js';

/** The last ask of a host. */
interface KnownHost {
  readonly ask: JobAsk;
  readonly heardAtMs: number;
  readonly running: ReadonlySet<string>;
}

/** The news in an ask. */
export interface Heard {
  /** The host began a new session: what it does not list has ended. */
  readonly isRestarted: boolean;
}

/** The last ask of each host. */
export class HostBook {
  readonly #hosts = new Map<string, KnownHost>();

  constructor(private readonly silenceMs: number) {}

  /** Undefined for an ask that came late. */
  hear(ask: JobAsk, nowMs: number): Heard | undefined {
    const before = this.#hosts.get(ask.host)?.ask;
    if (before?.session === ask.session && ask.number <= before.number) return undefined;
    const running = new Set(ask.running.map(attemptKey));
    this.#hosts.set(ask.host, { ask, heardAtMs: nowMs, running });
    return { isRestarted: before !== undefined && before.session !== ask.session };
  }

  /** Whether the last ask of the host lists the attempt. */
  lists({ host, jobId, attempt }: HeldJob): boolean {
    return this.#hosts.get(host)?.running.has(attemptKey({ jobId, attempt })) ?? false;
  }

  /** False for a host that is silent. */
  knows(host: string): boolean {
    return this.#hosts.has(host);
  }

  isDraining(host: string): boolean {
    return this.#hosts.get(host)?.ask.draining ?? false;
  }

  /** Forgets hosts that are silent. */
  expire(nowMs: number): void {
    for (const [host, { heardAtMs }] of this.#hosts) {
      if (nowMs - heardAtMs > this.silenceMs) this.#hosts.delete(host);
    }
  }

  /**
   * The free slots of each host, less the attempts that are on their way to it.
   * @param assigned jobs that are assigned to hosts, or about to be
   */
  slots(assigned: Iterable<HeldJob>): readonly HostSlots[] {
    const free = new Map(
      [...this.#hosts].map(([host, { ask }]) => [host, ask.draining ? {} : { ...ask.free }]),
    );
    for (const job of assigned) {
      const ofHost = free.get(job.host);
      const left = ofHost?.[job.type];
      if (!ofHost || left === undefined || this.lists(job)) continue;
      ofHost[job.type] = Math.max(0, left - 1);
    }
    return [...free].map(([host, ofHost]) => ({ host, free: ofHost }));
  }
}
