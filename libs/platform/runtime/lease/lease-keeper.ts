import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type LeaseEvent, type LeaseName } from '#events/platform/lease.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { contextOf } from '../command-context.js';
import { type CommandRunner } from '../command-runner.js';
import { type Leadership, type LeadershipStatus, type TermHandler } from './leadership.port.js';
import { FencedTerm } from './fenced-term.js';
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
  #term: FencedTerm | undefined;
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

  start(handler: TermHandler): void {
    this.#running ??= this.#run(handler);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#endPause?.();
    await this.#running;
  }

  status(): LeadershipStatus {
    const { token, holder } = this.#seen ?? { token: null, holder: null };
    return {
      role: this.#term ? 'leader' : 'standby',
      instance: this.settings.instance,
      token: token === null ? null : String(token),
      holder,
      failure: this.#failure,
    };
  }

  async #run(handler: TermHandler): Promise<void> {
    while (!this.#isStopped()) {
      try {
        const term = await this.#contend();
        this.#failure = null;
        if (term) await this.#hold(term, handler);
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

  /** A term where the lease is free or its holder silent; undefined where somebody holds it. */
  async #contend(): Promise<FencedTerm | undefined> {
    const lookedAt = this.nowMs();
    const { state } = await this.runner.stateOf(STREAM);
    const beats = (await this.readStore.checkpoint(HEARTBEATS)) ?? 0n;
    this.#seen = state;
    if (!state.released && !this.#isSilent(state.token, beats, lookedAt)) return undefined;
    const beganAt = this.nowMs();
    const token = await this.#take(state.token);
    if (token === undefined) return undefined;
    const validMs = this.settings.ttlMs * (1 - MARGIN);
    const term = new FencedTerm(BigInt(token), validMs, beganAt, this.nowMs);
    this.#beats = beats;
    try {
      await this.#renew(term);
    } catch (error) {
      term.lost();
      await this.#release(term);
      throw error;
    }
    return term;
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

  async #hold(term: FencedTerm, handler: TermHandler): Promise<void> {
    this.#term = term;
    const token = term.token.toString();
    this.logger.info({ token }, 'the lease was taken: this process runs the readers of the log');
    const stopping = new Promise<void>((resolve) => {
      this.#stop.signal.addEventListener('abort', () => resolve(), { once: true });
      if (this.#stop.signal.aborted) resolve();
    });
    const begun = handler.begin(term);
    const renewing = this.#keepRenewing(term);
    try {
      await begun;
      await Promise.race([term.over, stopping]);
    } finally {
      await handler.end();
      this.logger.info({ token }, 'the lease is over: this process runs no readers of the log');
      term.lost();
      this.#endPause?.();
      await renewing;
      this.#term = undefined;
      await this.#release(term);
    }
  }

  /** Also while the handler begins and ends, which may take longer than the lease lasts. */
  async #keepRenewing(term: FencedTerm): Promise<void> {
    while (term.isHeld()) {
      await this.#pause();
      // One that hangs must not keep the end of the term from being noticed.
      if (term.isHeld()) await Promise.race([this.#tryToRenew(term), term.over]);
    }
  }

  async #tryToRenew(term: FencedTerm): Promise<void> {
    try {
      await this.#renew(term);
      this.#failure = null;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      this.logger.warn({ err: error }, 'the lease could not be renewed');
      if (error instanceof ReadStoreError && error.code === 'fenced-off') term.lost();
    }
  }

  async #renew(term: FencedTerm): Promise<void> {
    const beganAt = this.nowMs();
    this.#beats += 1n;
    const checkpoint = { name: HEARTBEATS, position: this.#beats, fence: term.token };
    await this.readStore.commit({ writes: [], checkpoint });
    term.renewed(beganAt);
  }

  /** So that others need not wait. Without it they do: nothing is wrong with that. */
  async #release({ token }: FencedTerm): Promise<void> {
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
