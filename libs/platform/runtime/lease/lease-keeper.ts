import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type LeaseEvent, type LeaseName } from '#events/platform/lease.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '../commands/command-context.js';
import { type CommandRunner } from '../commands/command-runner.js';
import { type Leadership, type LeadershipStatus, type TermHandler } from './leadership.port.js';
import { FencedTerm } from './fenced-term.js';
import { type LeaseCommand, type LeaseState } from './lease.decider.js';
import { type Renewals, TermOverError } from './renewals.port.js';

export interface LeaseSettings {
  /** The name of this process, unique in the installation. */
  readonly instance: string;
  /** A holder without a renewal for this long has lost the lease. */
  readonly ttlMs: number;
  /** How often a holder renews, and other processes poll. */
  readonly renewMs: number;
}

export type LeaseRunner = CommandRunner<LeaseCommand, LeaseState, LeaseEvent>;

/** The part of its time that a holder leaves unused: calls begun before must end within it. */
const MARGIN = 0.2;

const LEASE: LeaseName = 'readers';
/** Has the holder of the lease. */
export const LEASE_STREAM = `lease-${LEASE}`;

/**
 * Competes for the lease, and renews it while it is held. The log has the holder and its token.
 * Renewals are elsewhere, since an event for each would stay for ever. A holder counts its time
 * from when it began its last renewal.
 */
export class LeaseKeeper implements Leadership {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #term: FencedTerm | undefined;
  #seen: LeaseState | undefined;
  #failure: string | null = null;
  #endPause: (() => void) | undefined;

  constructor(
    private readonly runner: LeaseRunner,
    private readonly renewals: Renewals,
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
    await this.renewals.leave();
  }

  status(): LeadershipStatus {
    const { token, holder } = this.#seen ?? { token: null, holder: null };
    return {
      role: this.#term ? 'leader' : 'standby',
      instance: this.settings.instance,
      token: token === null ? null : String(token),
      holder,
      failure: this.#failure,
      election: this.renewals.election,
      candidates: this.renewals.candidates(),
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
        this.logger.warn({ err: error }, 'the lease could not be competed for; retrying');
      }
      if (!this.#isStopped()) await this.#pause();
    }
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /**
   * A term where the lease is free or its holder silent; undefined where another process holds it.
   */
  async #contend(): Promise<FencedTerm | undefined> {
    const { state } = await this.runner.stateOf(LEASE_STREAM);
    const mayTake = await this.renewals.mayTake(state);
    this.#seen = state;
    if (!mayTake) return undefined;
    const token = await this.#take(state.token);
    return token === undefined ? undefined : this.#begin(BigInt(token));
  }

  async #begin(token: bigint): Promise<FencedTerm> {
    const validMs = this.settings.ttlMs * (1 - MARGIN);
    try {
      if (await this.renewals.claim(token)) await this.#pause(validMs);
      const term = new FencedTerm(token, validMs, this.nowMs(), this.nowMs);
      await this.#renew(term);
      return term;
    } catch (error) {
      await this.#release(token);
      throw error;
    }
  }

  /** The token, or undefined where another process was first. */
  async #take(over: number): Promise<number | undefined> {
    const { instance: holder } = this.settings;
    const data = { lease: LEASE, holder, over, takenAt: instant(this.clock) };
    const context = contextOf(randomUUID(), 'system');
    try {
      const { state } = await this.runner.run(LEASE_STREAM, { type: 'TakeLease', data }, context);
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
    this.logger.info(
      { token },
      'the lease was taken: this process runs projections, sagas and relays',
    );
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
      term.endsSoon();
      await handler.end();
      this.logger.info(
        { token },
        'the lease is over: this process runs no projections, sagas or relays',
      );
      term.lost();
      this.#endPause?.();
      await renewing;
      this.#term = undefined;
      await this.#release(term.token);
    }
  }

  /** Renews also during `begin` and `end`, which may take longer than the lease lasts. */
  async #keepRenewing(term: FencedTerm): Promise<void> {
    while (!term.isOver()) {
      await this.#pause();
      // A renewal that hangs must not delay the end of the term.
      if (!term.isOver()) await Promise.race([this.#tryToRenew(term), term.over]);
    }
  }

  async #tryToRenew(term: FencedTerm): Promise<void> {
    try {
      await this.#renew(term);
      this.#failure = null;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      this.logger.warn({ err: error }, 'the lease could not be renewed');
      if (error instanceof TermOverError) term.lost();
    }
  }

  async #renew(term: FencedTerm): Promise<void> {
    const beganAt = this.nowMs();
    await this.renewals.renew(term.token);
    term.renewed(beganAt);
  }

  /** Saves the other processes the wait. After a failure they wait, which is safe. */
  async #release(token: bigint): Promise<void> {
    const { instance: holder } = this.settings;
    const data = { lease: LEASE, token: Number(token), holder, releasedAt: instant(this.clock) };
    const context = contextOf(randomUUID(), 'system');
    try {
      const command = { type: 'ReleaseLease', data } as const;
      const { state } = await this.runner.run(LEASE_STREAM, command, context);
      this.#seen = state;
    } catch (error) {
      this.logger.warn({ err: error }, 'the lease could not be released; it runs out');
    }
  }

  #pause(pauseMs = this.settings.renewMs): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
