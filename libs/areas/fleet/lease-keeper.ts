import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type LeaseEvent, type LeaseName } from '#events/fleet/lease.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { type CommandRunner } from '#platform/runtime/command-runner.js';
import {
  type Leadership,
  type LeadershipStatus,
  type Reign,
} from '#platform/runtime/leadership.port.js';
import { FencedTenure } from './fenced-tenure.js';
import { type LeaseCommand, type LeaseState } from './lease.decider.js';

export interface LeaseSettings {
  /** Of this process; a name that no other process of the fleet bears. */
  readonly instance: string;
  /** A holder that has been silent for so long has lost the lease. */
  readonly ttlMs: number;
  /** How often a holder says that it is there, and others look. */
  readonly renewMs: number;
}

export type LeaseRunner = CommandRunner<LeaseCommand, LeaseState, LeaseEvent>;

/** The part of its time that a holder leaves unused: what it began then must have ended by the end. */
const MARGIN = 0.2;

const LEASE: LeaseName = 'readers';
const STREAM = `lease-${LEASE}`;
/** The checkpoint whose position is the number of renewals, of all holders together. */
export const HEARTBEATS = `lease.${LEASE}`;

interface Watched {
  readonly token: number;
  readonly beats: bigint;
  /** Since when nothing has changed, by the monotonic clock. */
  readonly sinceMs: number;
}

/**
 * Tries for the lease, and renews it while it is held. Who holds it and under which token stands in
 * the log; that the holder is there stands in the read store, under its token, since an event for
 * each renewal would stay for ever. Nobody compares clocks: a holder counts from when it began its
 * last renewal, the others from when they saw it, which is later.
 */
export class LeaseKeeper implements Leadership {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #tenure: FencedTenure | undefined;
  #watched: Watched | undefined;
  #seen: LeaseState | undefined;
  #beats = 0n;
  #failure: string | null = null;
  #endPause: (() => void) | undefined;

  constructor(
    private readonly runner: LeaseRunner,
    private readonly readStore: ReadStore,
    private readonly settings: LeaseSettings,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  start(reign: Reign): void {
    this.#running ??= this.#run(reign);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#endPause?.();
    await this.#running;
  }

  status(): LeadershipStatus {
    const { token, holder } = this.#seen ?? { token: null, holder: null };
    return {
      role: this.#tenure ? 'leader' : 'standby',
      instance: this.settings.instance,
      token: token === null ? null : String(token),
      holder,
      failure: this.#failure,
    };
  }

  async #run(reign: Reign): Promise<void> {
    while (!this.#isStopped()) {
      try {
        const tenure = await this.#contend();
        this.#failure = null;
        if (tenure) await this.#hold(tenure, reign);
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
        this.logger.warn({ err: error }, 'the lease could not be tried for; trying again');
      }
      if (!this.#isStopped()) await this.#pause();
    }
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** A tenure where the lease is free or its holder silent; undefined where somebody holds it. */
  async #contend(): Promise<FencedTenure | undefined> {
    const lookedAt = this.nowMs();
    const { state } = await this.runner.stateOf(STREAM);
    const beats = (await this.readStore.checkpoint(HEARTBEATS)) ?? 0n;
    this.#seen = state;
    if (!state.released && !this.#isSilent(state.token, beats, lookedAt)) return undefined;
    const beganAt = this.nowMs();
    const token = await this.#take(state.token);
    if (token === undefined) return undefined;
    const validMs = this.settings.ttlMs * (1 - MARGIN);
    const tenure = new FencedTenure(BigInt(token), validMs, beganAt, this.nowMs);
    this.#beats = beats;
    try {
      await this.#renew(tenure);
    } catch (error) {
      tenure.lost();
      await this.#release(tenure);
      throw error;
    }
    return tenure;
  }

  #isSilent(token: number, beats: bigint, lookedAt: number): boolean {
    const before = this.#watched;
    if (before?.token !== token || before.beats !== beats) {
      this.#watched = { token, beats, sinceMs: this.nowMs() };
      return false;
    }
    return lookedAt - before.sinceMs >= this.settings.ttlMs;
  }

  /** The token, or undefined where another process was first. */
  async #take(over: number): Promise<number | undefined> {
    const { instance: holder } = this.settings;
    const data = { lease: LEASE, holder, over, takenAt: instant(this.clock) };
    const context = contextOf(randomUUID(), 'system');
    try {
      const { state } = await this.runner.run(STREAM, { type: 'TakeLease', data }, context);
      this.#seen = state;
      return state.token;
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }

  async #hold(tenure: FencedTenure, reign: Reign): Promise<void> {
    this.#tenure = tenure;
    const token = tenure.token.toString();
    this.logger.info({ token }, 'the lease was taken: this process runs the readers of the log');
    const stopping = new Promise<void>((resolve) => {
      this.#stop.signal.addEventListener('abort', () => resolve(), { once: true });
      if (this.#stop.signal.aborted) resolve();
    });
    const begun = reign.begin(tenure);
    const renewing = this.#keepRenewing(tenure);
    try {
      await begun;
      await Promise.race([tenure.over, stopping]);
    } finally {
      await reign.end();
      this.logger.info({ token }, 'the lease is over: this process runs no readers of the log');
      tenure.lost();
      this.#endPause?.();
      await renewing;
      this.#tenure = undefined;
      await this.#release(tenure);
    }
  }

  /** Also while the reign begins and ends, which may take longer than the lease lasts. */
  async #keepRenewing(tenure: FencedTenure): Promise<void> {
    while (tenure.isHeld()) {
      await this.#pause();
      // One that hangs must not keep the end of the tenure from being noticed.
      if (tenure.isHeld()) await Promise.race([this.#tryToRenew(tenure), tenure.over]);
    }
  }

  async #tryToRenew(tenure: FencedTenure): Promise<void> {
    try {
      await this.#renew(tenure);
      this.#failure = null;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      this.logger.warn({ err: error }, 'the lease could not be renewed');
      if (error instanceof ReadStoreError && error.code === 'fenced-off') tenure.lost();
    }
  }

  async #renew(tenure: FencedTenure): Promise<void> {
    const beganAt = this.nowMs();
    this.#beats += 1n;
    const checkpoint = { name: HEARTBEATS, position: this.#beats, fence: tenure.token };
    await this.readStore.commit({ writes: [], checkpoint });
    tenure.renewed(beganAt);
  }

  /** So that others need not wait. Without it they do: nothing is wrong with that. */
  async #release({ token }: FencedTenure): Promise<void> {
    const { instance: holder } = this.settings;
    const data = { lease: LEASE, token: Number(token), holder, releasedAt: instant(this.clock) };
    const context = contextOf(randomUUID(), 'system');
    try {
      const { state } = await this.runner.run(STREAM, { type: 'ReleaseLease', data }, context);
      this.#seen = state;
    } catch (error) {
      this.logger.warn({ err: error }, 'the lease could not be released; it runs out');
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.settings.renewMs);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
