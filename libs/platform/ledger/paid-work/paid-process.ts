import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type JobUsage } from '#events/jobs/job.events.js';
import { chargedLines } from '#platform/jobs/job.usage.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type LeftHold,
  type PlacedHold,
  type Release,
} from '../hold.js';
import { Ledger } from '../ledger.port.js';
import { priceOf } from '../price.js';
import { onRigs } from '../rig-lines.js';
import { isRejection, isUnpayable } from './ledger-rejection.js';

/** The hold of work that outlives the request for it. */
export type ProcessHold = Omit<HoldOrder, 'placedAt' | 'shrink'>;

/** More lines and time for a hold. */
export interface ProcessPeriod {
  readonly lines: readonly PriceLine[];
  readonly expiresAt: string;
  readonly renewedAt: string;
}

/** How such work ends, in the areas that have it. */
export type ProcessStatus =
  'completed' | 'budget_exhausted' | 'failed' | 'parked' | 'cancelled' | 'timed_out';

const CAPTURED_AS: Readonly<Record<ProcessStatus, Capture['outcome']>> = {
  completed: 'completed',
  budget_exhausted: 'completed',
  failed: 'upstream_failed',
  parked: 'upstream_failed',
  cancelled: 'client_gone',
  timed_out: 'timed_out',
};

const RELEASED_AS: Readonly<Record<ProcessStatus, Release['reason']>> = {
  completed: 'internal_error',
  budget_exhausted: 'refused',
  failed: 'upstream_failed',
  parked: 'internal_error',
  cancelled: 'client_gone',
  timed_out: 'timed_out',
};

/** Work that has ended, and its hold. */
export interface EndedProcess {
  readonly hold: ProcessHold;
  readonly status: ProcessStatus;
  readonly endedAt: string;
}

/** The facts that an area states about work that is charged. */
export interface UsedProcess
  extends EndedProcess, Pick<Capture, 'evidence' | 'usageSource' | 'jobId' | 'model'> {
  readonly usage: readonly JobUsage[];
}

export interface Settlement {
  /** `uncollected`: the hold had expired, and the account cannot pay. */
  readonly outcome: 'charged' | 'free' | 'uncollected';
  readonly amount: MicroUsd;
}

const FREE: Settlement = { outcome: 'free', amount: 0n };

/** The deadline of a hold that is placed only to be charged. */
const CHARGE_MS = 15 * 60_000;

/**
 * Holds work for a period, renews the hold while it lasts, and charges or frees it at the end.
 * Every command derives from its context, so a repeat changes nothing: a second charge finds the
 * hold closed, and the ledger says how.
 */
@Injectable()
export class PaidProcesses {
  constructor(
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * A cheap check before an order is priced; it reserves nothing.
   * @throws DomainError `insufficient_balance`
   */
  async demandFunds(accountId: string): Promise<void> {
    await this.ledger.demandFunds(accountId);
  }

  /**
   * Holds the worst case of the first period.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`
   */
  place(hold: ProcessHold, placedAt: string, context: CommandContext): Promise<PlacedHold> {
    return this.ledger.place({ ...hold, shrink: null, placedAt }, context);
  }

  /**
   * Adds lines and time to a hold. One that has expired is placed again, with all lines.
   * @param hold before the renewal
   * @throws DomainError `insufficient_balance`, `budget_exceeded`: the hold lasts as it is
   */
  async renew(
    hold: ProcessHold,
    { lines, expiresAt, renewedAt }: ProcessPeriod,
    context: CommandContext,
  ): Promise<PlacedHold> {
    const { accountId, holdId, purpose } = hold;
    const added = { lines: [...lines], expiresAt, renewedAt };
    // A repeat at a later time may be another renewal, so it has ids of its own.
    const what = `${lines.length} ${expiresAt}`;
    try {
      const renewal = { accountId, holdId, purpose, ...added };
      return await this.ledger.renew(renewal, derived(context, `renew ${what}`));
    } catch (error) {
      if (!isRejection(error, 'hold_not_open')) throw error;
    }
    const again = { ...hold, lines: [...hold.lines, ...lines], expiresAt };
    return this.place(again, renewedAt, derived(context, `hold again ${what}`));
  }

  /** Frees the hold of work that could not begin. */
  async abandon(
    { accountId, holdId }: Pick<ProcessHold, 'accountId' | 'holdId'>,
    placedAt: string,
    context: CommandContext,
  ): Promise<void> {
    const left = { accountId, holdId, reason: 'refused', releasedAt: placedAt } as const;
    await this.ledger.settle({ ...left, notBefore: placedAt }, context);
  }

  /** Frees the hold of work that is not charged. */
  async free(ended: EndedProcess, context: CommandContext): Promise<Settlement> {
    await this.#settle(ended, context);
    return FREE;
  }

  /** Charges the usage of the work. A hold that has expired is placed again for the charge. */
  async charge(used: UsedProcess, context: CommandContext): Promise<Settlement> {
    const capture = captureOf(used);
    const amount = priceOf(capture.lines);
    const charged: Settlement = { outcome: amount > 0n ? 'charged' : 'free', amount };
    if (await this.#captures(capture, derived(context, 'charge'))) return charged;
    if ((await this.#settle(used, context)) === 'charged') return charged;
    return (await this.#chargesAgain(used, capture, context))
      ? charged
      : { outcome: 'uncollected', amount };
  }

  /** False for a hold that is not open. */
  async #captures(capture: Capture, context: CommandContext): Promise<boolean> {
    try {
      await this.ledger.capture(capture, context);
      return true;
    } catch (error) {
      if (isRejection(error, 'hold_not_open')) return false;
      throw error;
    }
  }

  #settle({ hold, status, endedAt }: EndedProcess, context: CommandContext): Promise<HoldEnd> {
    const { accountId, holdId } = hold;
    const left: LeftHold = {
      accountId,
      holdId,
      reason: RELEASED_AS[status],
      releasedAt: endedAt,
      // The charge comes after the end.
      notBefore: endedAt,
    };
    return this.ledger.settle(left, derived(context, 'settle'));
  }

  /** False when the account cannot pay. */
  async #chargesAgain(
    { hold }: UsedProcess,
    capture: Capture,
    context: CommandContext,
  ): Promise<boolean> {
    const lines = capture.lines.map(({ rig: _, ...line }) => line);
    const expiresAt = new Date(this.clock.now() + CHARGE_MS).toISOString();
    try {
      const again = { ...hold, lines, expiresAt };
      await this.place(again, instant(this.clock), derived(context, 'hold to charge'));
    } catch (error) {
      if (isUnpayable(error)) return false;
      throw error;
    }
    return this.#captures(capture, derived(context, 'charge again'));
  }
}

const captureOf = ({ hold, status, endedAt, usage, ...facts }: UsedProcess): Capture => {
  const { accountId, holdId, purpose } = hold;
  const { lines, excess } = chargedLines(hold.lines, usage);
  return {
    accountId,
    holdId,
    purpose,
    ...onRigs(lines),
    excess: [...excess],
    outcome: CAPTURED_AS[status],
    capturedAt: endedAt,
    ...facts,
  };
};

const derived = (
  { requestId: id, correlationId, actor }: CommandContext,
  what: string,
): CommandContext => followUp({ id, correlationId }, what, actor);
