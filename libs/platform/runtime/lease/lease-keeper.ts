import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type LeaseEvent } from '#events/platform/lease.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '../commands/command-context.js';
import { type CommandRunner } from '../commands/command-runner.js';
import { type GroupLease, type LeadershipStatus, type TermHandler } from './leadership.port.js';
import { FencedTerm } from './fenced-term.js';
import { type LeaseCommand, type LeaseState } from './lease.decider.js';
import { leaseStreamOf, type ReaderGroup } from './reader-groups.js';
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

/**
 * Competes for the lease of a group of readers, and renews it while it is held. The log has the
 * holder and its token. Renewals are elsewhere, since an event for each would stay for ever. A
 * holder counts its time from when it began its last renewal.
 */
export class LeaseKeeper implements GroupLease {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #term: FencedTerm | undefined;
  #seen: LeaseState | undefined;
  #failure: string | null = null;
  #endPause: (() => void) | undefined;
  #giveUp: () => void = () => undefined;
  /** Until then the group is left to other processes. */
  #yieldsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly group: ReaderGroup,
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

  /** Ends the term, if there is one, and leaves the group to others for the time of a lease. */
  giveUp(): void {
    this.#giveUp();
  }

  status(): LeadershipStatus {
    const { token = null, holder = null, released = true } = this.#seen ?? {};
    return {
      group: this.group,
      role: this.#term ? 'leader' : 'standby',
      instance: this.settings.instance,
      token: token === null ? null : String(token),
      holder: released ? null : holder,
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
    const { state } = await this.runner.stateOf(leaseStreamOf(this.group));
    this.#seen = state;
    if (this.nowMs() < this.#yieldsUntilMs) return undefined;
    const mayTake = await this.renewals.mayTake(state);
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
    const data = { lease: this.group, holder, over, takenAt: instant(this.clock) };
    const context = contextOf(randomUUID(), 'system');
    try {
      const command = { type: 'TakeLease', data } as const;
      const { state } = await this.runner.run(leaseStreamOf(this.group), command, context);
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
    const { group } = this;
    this.logger.info({ group, token }, 'the lease was taken: this process runs the readers');
    const givenUp = new Promise<void>((resolve) => {
      this.#giveUp = () => {
        this.#yieldsUntilMs = this.nowMs() + this.settings.ttlMs;
        resolve();
      };
    });
    const stopping = new Promise<void>((resolve) => {
      this.#stop.signal.addEventListener('abort', () => resolve(), { once: true });
      if (this.#stop.signal.aborted) resolve();
    });
    const begun = handler.begin(term);
    const renewing = this.#keepRenewing(term);
    try {
      await begun;
      await Promise.race([term.over, stopping, givenUp]);
    } finally {
      this.#giveUp = () => undefined;
      term.endsSoon();
      await handler.end();
      this.logger.info(
        { group, token },
        'the lease is over: this process does not run the readers',
      );
      term.lost();
      this.#endPause?.();
      await renewing;
      this.#term = undefined;
      await this.#release(term.token);
      // The oldest key of an election would win again.
      if (this.nowMs() < this.#yieldsUntilMs) await this.renewals.leave();
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
    const data = {
      lease: this.group,
      token: Number(token),
      holder,
      releasedAt: instant(this.clock),
    };
    const context = contextOf(randomUUID(), 'system');
    try {
      const command = { type: 'ReleaseLease', data } as const;
      const { state } = await this.runner.run(leaseStreamOf(this.group), command, context);
      this.#seen = state;
    } catch (error) {
      this.logger.warn({ err: error }, 'the lease could not be released; it runs out');
    }
  }

  /** By default until the next renewal, which all leases of the process have at once. */
  #pause(pauseMs = this.#untilRenewalMs()): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #untilRenewalMs(): number {
    const { renewMs } = this.settings;
    return renewMs - (this.nowMs() % renewMs);
  }
}
