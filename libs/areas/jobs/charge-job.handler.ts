import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type JobSettled } from '#events/jobs/job.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type EndedStatus, instantOf, isEnded, type JobState } from '#platform/jobs/job.state.js';
import { chargedLines } from '#platform/jobs/job.usage.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { JobTypes } from '#platform/jobs/job-type.js';
import { type Capture, type HoldEnd, type Release } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { onRigs } from '#platform/ledger/rig-lines.js';
import { priceOf } from '#platform/ledger/price.js';
import { type CommandContext, followUp } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type HeldJob, HOLD_MS, isRejection, isUnpayable, JobFunds } from './job-funds.js';

/** Charges an ended job for what it has used, or frees its hold. */
export class ChargeJobCommand extends Command<void> {
  constructor(
    readonly job: { readonly jobId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** An ended job that is not settled. */
interface Due extends HeldJob {
  readonly outcome: EndedStatus;
  readonly endedAt: string;
}

interface Settlement {
  readonly outcome: JobSettled['data']['outcome'];
  readonly amount: MicroUsd;
}

const CAPTURED_AS: Readonly<Record<EndedStatus, Capture['outcome']>> = {
  completed: 'completed',
  failed: 'upstream_failed',
  cancelled: 'client_gone',
  timed_out: 'timed_out',
};

const RELEASED_AS: Readonly<Record<EndedStatus, Release['reason']>> = {
  completed: 'internal_error',
  failed: 'upstream_failed',
  cancelled: 'client_gone',
  timed_out: 'timed_out',
};

/**
 * Everything that it sends derives from the end of the job, so repeating it changes nothing: a
 * second charge finds the hold closed, and the ledger says how.
 */
@CommandHandler(ChargeJobCommand)
export class ChargeJobHandler implements ICommandHandler<ChargeJobCommand> {
  constructor(
    private readonly ledger: Ledger,
    private readonly funds: JobFunds,
    private readonly streams: JobStreams,
    private readonly types: JobTypes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ job: { jobId }, context }: ChargeJobCommand): Promise<void> {
    const due = dueOf(await this.streams.stateOf(jobId));
    if (!due) return;
    const { outcome, amount } = isCharged(due)
      ? await this.#charge(due, context)
      : await this.#free(due, context);
    const settledAt = instant(this.clock);
    const settled = { outcome, amountMicroUsd: toDecimal(amount), settledAt };
    const data = { jobId: due.job.order.jobId, ...settled };
    await this.streams.run({ type: 'SettleJob', data }, context);
  }

  async #free(due: Due, context: CommandContext): Promise<Settlement> {
    await this.#settle(due, context);
    return { outcome: 'free', amount: 0n };
  }

  async #charge(due: Due, context: CommandContext): Promise<Settlement> {
    const capture = this.#captureOf(due);
    const amount = priceOf(capture.lines);
    const charged: Settlement = { outcome: amount > 0n ? 'charged' : 'free', amount };
    if (await this.#capture(capture, context)) return charged;
    if ((await this.#settle(due, context)) === 'charged') return charged;
    return (await this.#chargeAgain(due, capture, context))
      ? charged
      : { outcome: 'uncollected', amount };
  }

  /** For a hold that had expired. False when the account cannot pay. */
  async #chargeAgain(due: Due, capture: Capture, context: CommandContext): Promise<boolean> {
    const expiresAt = instantOf(this.clock.now() + HOLD_MS);
    const hold = { ...due.hold, lines: capture.lines, expiresAt };
    try {
      await this.funds.place({ job: due.job, hold }, ownContext(context, 'hold again'));
    } catch (error) {
      if (isUnpayable(error)) return false;
      throw error;
    }
    return this.#capture(capture, ownContext(context, 'charge again'));
  }

  /** False for a hold that is not open. */
  async #capture(capture: Capture, context: CommandContext): Promise<boolean> {
    try {
      await this.ledger.capture(capture, context);
      return true;
    } catch (error) {
      if (isRejection(error, 'hold_not_open')) return false;
      throw error;
    }
  }

  #settle({ job, hold, outcome, endedAt }: Due, context: CommandContext): Promise<HoldEnd> {
    const { accountId } = job.order;
    const { holdId } = hold;
    const reason = RELEASED_AS[outcome];
    // The charge comes after the end.
    const left = { accountId, holdId, reason, releasedAt: endedAt, notBefore: endedAt };
    return this.ledger.settle(left, ownContext(context, 'settle'));
  }

  #captureOf({ job, hold, outcome, endedAt }: Due): Capture {
    const { jobId, accountId, type, summary } = job.order;
    const { holdId, purpose } = hold;
    const { lines, excess } = chargedLines(hold.lines, job.usage);
    const { attempt: attempts, resultSummary: result } = job;
    const ended = { jobId, outcome, attempts, summary, result };
    const price = this.types.of(type).price;
    const model = price?.model?.(ended);
    return {
      accountId,
      holdId,
      purpose,
      ...onRigs(lines),
      usageSource: 'counted',
      excess: [...excess],
      outcome: CAPTURED_AS[outcome],
      evidence: price?.evidence(ended) ?? {},
      capturedAt: endedAt,
      jobId,
      ...(model !== undefined && { model }),
    };
  }
}

const dueOf = (job: JobState): Due | undefined => {
  if (job.status === 'absent' || !isEnded(job) || job.isSettled) return undefined;
  const { hold, endedAt, status: outcome } = job;
  return hold === null || endedAt === null ? undefined : { job, hold, endedAt, outcome };
};

/** A completed job is on the statement even when it has used nothing. */
const isCharged = ({ job, hold, outcome }: Due): boolean => {
  if (outcome === 'completed') return true;
  const used = job.usage.some(({ quantity }) => quantity > 0);
  return used && hold.whenUnfinished === 'what_was_used';
};

const ownContext = (
  { requestId: id, correlationId, actor }: CommandContext,
  what: string,
): CommandContext => followUp({ id, correlationId }, what, actor);
