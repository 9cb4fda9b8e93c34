import { Inject, Injectable } from '@nestjs/common';
import { type LiveCaptureEvidence, type LiveHoldEvidence } from '#events/live/live.evidence.js';
import { type LiveEnd, type LiveHold } from '#events/live/live.events.js';
import { labelsOf, type PriceLine } from '#events/hold.vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { plusMs } from '#platform/kernel/instants.js';
import { MeterPrices, pricedLines } from '#platform/ledger/meter-prices.port.js';
import {
  PaidProcesses,
  type ProcessHold,
  type ProcessStatus,
} from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { FRAMES_METER, liveProduct, MINUTES_METER } from '../live.product.js';
import { reject } from '../live.errors.js';
import { type LiveSessionRecord } from './session.decider.js';

const SECONDS_PER_MINUTE = 60;
/** The hold outlasts a minute by this, so that the end of the session finds it open. */
const SETTLE_MS = 10 * 60_000;

const STATUS: Readonly<Record<LiveEnd, ProcessStatus>> = {
  hang_up: 'completed',
  silence: 'cancelled',
  funds: 'budget_exhausted',
  expired: 'timed_out',
  lapsed: 'failed',
};

/** The terms of a session that its price depends on. */
export type PricedSession = Pick<
  LiveSessionRecord,
  'sessionId' | 'accountId' | 'width' | 'height' | 'targetFps' | 'openedAt' | 'heldUntil'
>;

/** Frames of one minute, which a session cannot exceed. */
export const framesPerMinute = (targetFps: number): number => targetFps * SECONDS_PER_MINUTE;

/** Frames that the held minutes pay for. */
export const framesHeld = ({ hold }: Pick<LiveSessionRecord, 'hold'>): number =>
  hold.lines.reduce((sum, { meter, quantity }) => sum + (meter === FRAMES_METER ? quantity : 0), 0);

/** Holds the minutes of a session one by one, each with its frames, and charges the used ones. */
@Injectable()
export class SessionFunds {
  constructor(
    private readonly processes: PaidProcesses,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `insufficient_balance` */
  async demand(accountId: string): Promise<void> {
    await this.processes.demandFunds(accountId);
  }

  /** @throws DomainError `live_not_priced`, `insufficient_balance`, `budget_exceeded` */
  async place(session: PricedSession, context: CommandContext): Promise<LiveHold> {
    const units = [
      { meter: MINUTES_METER, quantity: 1 },
      { meter: FRAMES_METER, quantity: framesPerMinute(session.targetFps) },
    ];
    const priced = pricedLines(this.prices.inForce(this.clock.now()), {
      units,
      reject: (detail) => reject('live_not_priced', detail),
    });
    const hold: LiveHold = {
      holdId: session.sessionId,
      ...priced,
      ...labelsOf(context),
    };
    await this.processes.place(holdOf(session, hold), session.openedAt, context);
    return hold;
  }

  /**
   * Holds another minute, at the prices of the first.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`
   */
  async renew(
    session: LiveSessionRecord,
    heldUntil: string,
    context: CommandContext,
  ): Promise<readonly PriceLine[]> {
    const lines = session.hold.lines.slice(0, 2);
    await this.processes.renew(
      holdOf(session, session.hold),
      { lines, expiresAt: deadlineOf(heldUntil), renewedAt: instant(this.clock) },
      context,
    );
    return lines;
  }

  /** Frees the hold of a session that was not opened. */
  async abandon(
    { accountId, openedAt }: PricedSession,
    { holdId }: LiveHold,
    context: CommandContext,
  ): Promise<void> {
    await this.processes.abandon({ accountId, holdId }, openedAt, context);
  }

  /** Charges the minutes that have begun and the frames of an ended session; frees the rest. */
  async charge(session: LiveSessionRecord, context: CommandContext): Promise<void> {
    const { end, frames, hold: held } = session;
    if (!end) return;
    const { reason, minutes, endedAt } = end;
    const ended = { hold: holdOf(session, held), status: STATUS[reason], endedAt };
    if (minutes === 0) {
      await this.processes.free(ended, context);
      return;
    }
    const evidence: LiveCaptureEvidence = { ...termsOf(session), end: reason, minutes, frames };
    const usage = [
      { meter: MINUTES_METER, quantity: minutes },
      { meter: FRAMES_METER, quantity: frames },
    ].filter(({ quantity }) => quantity > 0);
    await this.processes.charge({ ...ended, usage, usageSource: 'counted', evidence }, context);
  }
}

const deadlineOf = (heldUntil: string): string => plusMs(heldUntil, SETTLE_MS);

const termsOf = ({ sessionId, width, height, targetFps }: PricedSession): LiveHoldEvidence => ({
  sessionId,
  width,
  height,
  targetFps,
});

const holdOf = (session: PricedSession, hold: LiveHold): ProcessHold => ({
  accountId: session.accountId,
  purpose: liveProduct.purpose,
  evidence: termsOf(session),
  expiresAt: deadlineOf(session.heldUntil),
  ...hold,
});
