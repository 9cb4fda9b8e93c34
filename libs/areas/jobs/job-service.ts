import { Inject, Injectable } from '@nestjs/common';
import { type z } from 'zod';
import { labelsOf } from '#events/hold.vocabulary.js';
import { type JobBlob, type JobHold, JobId, type JobSubmitted } from '#events/jobs/job.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { instantOf, isEnded, type SubmittedJob } from '#platform/jobs/job.state.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import {
  type AnyJobType,
  type JobType,
  JobTypes,
  type PublicJson,
} from '#platform/jobs/job-type.js';
import { type JobOrder, Jobs } from '#platform/jobs/jobs.port.js';
import { demandModels } from '#platform/ledger/paid-work/asked-models.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { JobAdmission } from './job-admission.js';
import { HOLD_MS, holdOf } from './job-funds.js';
import { reject } from './jobs.errors.js';
import { JOB_SETTINGS, type JobSettings } from './jobs.settings.js';

type HoldDraft = Omit<JobHold, 'holdId' | 'expiresAt'>;

/** An order without what its submission adds. */
type Draft = Omit<JobSubmitted['data'], 'input' | 'submittedAt' | 'startBefore' | 'hold'> & {
  readonly hold: HoldDraft | null;
  /** Earlier than the limit of the type; null for the limit of the type. */
  readonly startBefore: string | null;
  /** The instant of the prices; null for that of the submission. */
  readonly pricedAtMs: number | null;
};

/** Submits, cancels and repeats jobs of every area, and reads what they leave. */
@Injectable()
export class JobService extends Jobs {
  constructor(
    private readonly admission: JobAdmission,
    private readonly processes: PaidProcesses,
    private readonly streams: JobStreams,
    private readonly blobs: JobBlobs,
    private readonly types: JobTypes,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super();
  }

  override async submit<Input, Shown extends PublicJson, Checkpoint, Result>(
    { name }: JobType<Input, Shown, Checkpoint, Result>,
    order: JobOrder<Input>,
    context: CommandContext,
  ): Promise<void> {
    demandModels(context, order.models ?? []);
    const type = this.types.of(name);
    const draft = draftOf(type, order, context);
    const content: unknown = type.input.parse(order.input);
    await this.#submit(type, draft, () => this.blobs.put(order.accountId, content), context);
  }

  override async cancel(jobId: JobId, context: CommandContext): Promise<void> {
    const requestedAt = instant(this.clock);
    const stopBy = instantOf(this.clock.now() + this.settings.stopMsMax);
    await this.streams.run({ type: 'CancelJob', data: { jobId, requestedAt, stopBy } }, context);
  }

  override async retry(jobId: JobId, context: CommandContext): Promise<JobId> {
    demandModels(context, []);
    const job = await this.#job(jobId);
    if (!isEnded(job)) reject('job_not_ended', `the job ${jobId} has not ended`);
    demandKept(job);
    const type = this.types.of(job.order.type);
    if (type.repeats === 'never') {
      reject('job_not_repeatable', `a job of type ${type.name} is not submitted again`);
    }
    const draft = draftAgain(type, job.order, context);
    await this.#submit(type, draft, () => Promise.resolve(job.order.input), context);
    return draft.jobId;
  }

  override async result<Result>(
    { name, result }: Pick<JobType<never, never, never, Result>, 'name' | 'result'>,
    jobId: JobId,
  ): Promise<Result | null> {
    const job = await this.#job(jobId, name);
    return job.result && this.#read(job, job.result, result);
  }

  override async checkpoint<Checkpoint>(
    { name, checkpoint }: Pick<JobType<never, never, Checkpoint, never>, 'name' | 'checkpoint'>,
    jobId: JobId,
  ): Promise<Checkpoint | null> {
    const job = await this.#job(jobId, name);
    return job.checkpoint && this.#read(job, job.checkpoint, checkpoint);
  }

  async #submit(
    type: AnyJobType,
    draft: Draft,
    putInput: () => Promise<JobBlob>,
    context: CommandContext,
  ): Promise<void> {
    const { jobId, accountId, type: name, parent } = draft;
    const known = await this.streams.stateOf(jobId);
    if (known.status === 'absent') {
      const submit = async () => this.#place(type, draft, await putInput(), context);
      await this.admission.admit(type, accountId, submit);
    } else {
      const input = await putInput();
      const order = { ...known.order, accountId, type: name, parent, input };
      await this.streams.run({ type: 'SubmitJob', data: order }, context);
    }
  }

  async #place(
    type: AnyJobType,
    { hold: terms, startBefore: wished, pricedAtMs, ...draft }: Draft,
    input: JobBlob,
    context: CommandContext,
  ): Promise<void> {
    const now = this.clock.now();
    const submittedAt = instantOf(pricedAtMs ?? now);
    const latest = instantOf(now + type.limits.queueMsMax);
    const startBefore = wished !== null && wished < latest ? wished : latest;
    // A submission that is repeated later is another order to the ledger.
    const holdId = derivedId(`hold ${submittedAt}`, draft.jobId);
    const hold = terms && { ...terms, holdId, expiresAt: instantOf(now + HOLD_MS) };
    const order = { ...draft, input, submittedAt, startBefore, hold };
    if (hold) {
      const placed = ownContext(context, `place ${holdId}`);
      await this.processes.place(holdOf(draft, hold), submittedAt, placed);
    }
    const free = async (): Promise<void> => {
      if (!hold) return;
      const ids = { accountId: draft.accountId, holdId };
      await this.processes.abandon(ids, submittedAt, ownContext(context, `free ${holdId}`));
    };
    try {
      const { state } = await this.streams.run({ type: 'SubmitJob', data: order }, context);
      const isOther = state.status !== 'absent' && state.order.hold?.holdId !== hold?.holdId;
      if (isOther) await free();
    } catch (error) {
      // After any other error the job may be in the log; if it is not, its hold expires.
      if (error instanceof DomainError) await free();
      throw error;
    }
  }

  /** @throws DomainError `job_not_found`, also for a job of another type */
  async #job(jobId: string, type?: string): Promise<SubmittedJob> {
    const job = await this.streams.stateOf(jobId);
    if (job.status !== 'absent' && (type === undefined || job.order.type === type)) return job;
    return reject('job_not_found', `there is no job ${jobId}`);
  }

  #read<Value>(job: SubmittedJob, blob: JobBlob, schema: z.ZodType<Value>): Promise<Value> {
    demandKept(job);
    return this.blobs.read(job.order.accountId, blob, schema);
  }
}

const demandKept = ({ isForgotten, order: { jobId } }: SubmittedJob): void => {
  if (isForgotten) reject('job_result_gone', `the content of the job ${jobId} is no longer kept`);
};

const draftOf = (
  { name, price, limits, retry }: AnyJobType,
  { jobId, accountId, summary, hold, pricedAtMs, after, parent, startBefore }: JobOrder<unknown>,
  context: CommandContext,
): Draft => {
  if ((price === null) !== (hold === null)) {
    throw new TypeError(`the job type ${name} has a price, or the order has a hold, but not both`);
  }
  return {
    jobId,
    accountId,
    type: name,
    summary,
    hold: price && hold ? holdDraftOf(price, hold, context) : null,
    after: [...(after ?? [])],
    parent: parent ?? null,
    retryOf: null,
    attemptsMax: retry.attemptsMax,
    runMsMax: limits.runMsMax,
    startBefore: startBefore ?? null,
    pricedAtMs: pricedAtMs ?? null,
  };
};

const holdDraftOf = (
  { product: { purpose }, whenUnfinished, ahead }: NonNullable<AnyJobType['price']>,
  { lines, rateCardVersion, evidence }: NonNullable<JobOrder<unknown>['hold']>,
  context: CommandContext,
): HoldDraft => ({
  ...labelsOf(context),
  purpose,
  lines: [...lines],
  rateCardVersion,
  evidence,
  whenUnfinished,
  ahead: [...ahead],
});

/** The same order as a job of its own: at the prices that it had. */
const draftAgain = (
  { retry, limits }: AnyJobType,
  { jobId, accountId, type, summary, hold, after }: JobSubmitted['data'],
  { requestId }: CommandContext,
): Draft => ({
  jobId: JobId.parse(derivedId(`retry ${jobId}`, requestId)),
  accountId,
  type,
  summary,
  hold: hold && termsOf(hold),
  after,
  parent: null,
  retryOf: jobId,
  attemptsMax: retry.attemptsMax,
  runMsMax: limits.runMsMax,
  startBefore: null,
  pricedAtMs: null,
});

const termsOf = ({ holdId: _, expiresAt: __, ...terms }: JobHold): HoldDraft => terms;

const ownContext = (
  { requestId: id, correlationId, actor }: CommandContext,
  what: string,
): CommandContext => followUp({ id, correlationId }, what, actor);
