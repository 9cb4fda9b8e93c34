import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type BatchCreated, BatchId } from '#events/batches/batch.events.js';
import { JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  type BatchCheckpoint,
  countsOf,
  doubtsIn,
  NO_PARTS,
  usageOnAllRigs,
} from './batch-checkpoint.js';
import { type EndedBatchJob } from './batch-life.saga.js';
import { BatchOutputs, type Unfinished } from './batch-outputs.js';
import { BatchParts } from './batch-parts.js';
import { BatchStreams } from './batch-streams.js';
import { batchJob } from './batch.job.js';
import { isEnded } from './batch.decider.js';
import { isGone } from './gone.js';

/** The commands of the saga; every one may come twice. */

export class CloseBatchWindowCommand extends Command<void> {
  constructor(
    readonly data: { readonly batchId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CloseBatchWindowCommand)
export class CloseBatchWindowHandler implements ICommandHandler<CloseBatchWindowCommand> {
  constructor(
    private readonly streams: BatchStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: CloseBatchWindowCommand): Promise<void> {
    const closed = { batchId: BatchId.parse(data.batchId), closedAt: instant(this.clock) };
    await this.streams.run({ type: 'CloseWindow', data: closed }, context);
  }
}

export class CancelBatchJobCommand extends Command<void> {
  constructor(
    readonly data: { readonly batchId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CancelBatchJobCommand)
export class CancelBatchJobHandler implements ICommandHandler<CancelBatchJobCommand> {
  constructor(private readonly jobs: Jobs) {}

  async execute({ data, context }: CancelBatchJobCommand): Promise<void> {
    await this.jobs.cancel(JobId.parse(data.batchId), context);
  }
}

/** Retains the parts that the checkpoint in the log names. */
export class KeepBatchPartsCommand extends Command<void> {
  constructor(readonly data: { readonly batchId: string }) {
    super();
  }
}

@CommandHandler(KeepBatchPartsCommand)
export class KeepBatchPartsHandler implements ICommandHandler<KeepBatchPartsCommand> {
  /** How many parts of a batch this process has retained; another one retains them again. */
  readonly #kept = new Map<string, number>();

  constructor(
    private readonly jobs: Jobs,
    private readonly streams: BatchStreams,
    private readonly parts: BatchParts,
  ) {}

  async execute({ data: { batchId } }: KeepBatchPartsCommand): Promise<void> {
    const state = await this.streams.stateOf(batchId);
    if (state.status === 'absent' || isEnded(state)) {
      this.#kept.delete(batchId);
      return;
    }
    try {
      const checkpoint = await this.jobs.checkpoint(batchJob, JobId.parse(batchId));
      const { parts } = checkpoint ?? NO_PARTS;
      await this.parts.retain(state.created, parts.slice(this.#kept.get(batchId) ?? 0));
      this.#kept.set(batchId, parts.length);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

/** Writes the files of a batch whose job has ended, then ends the batch. */
export class EndBatchCommand extends Command<void> {
  constructor(
    readonly data: EndedBatchJob,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndBatchCommand)
export class EndBatchHandler implements ICommandHandler<EndBatchCommand> {
  constructor(
    private readonly jobs: Jobs,
    private readonly streams: BatchStreams,
    private readonly outputs: BatchOutputs,
    private readonly parts: BatchParts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: EndBatchCommand): Promise<void> {
    const { batchId, outcome, endedAt: finalizingAt } = data;
    if (outcome === 'completed') {
      const finalizing = { batchId: BatchId.parse(batchId), finalizingAt };
      await this.streams.run(
        { type: 'StartFinalizing', data: finalizing },
        followUp({ id: context.requestId, correlationId: batchId }, 'finalize', context.actor),
      );
    }
    const state = await this.streams.stateOf(batchId);
    if (state.status === 'absent') return;
    const checkpoint = await this.#checkpointOf(data);
    if (!isEnded(state)) {
      const unfinished = whyUnfinished(data, state.status === 'expiring');
      await this.#end(state.created, checkpoint, data, unfinished, context);
    }
    await this.parts.release(state.created, checkpoint.parts);
  }

  /** Without the parts, as after the erasure of the user, the files cannot be written. */
  async #write(created: BatchCreated['data'], checkpoint: BatchCheckpoint, unfinished: Unfinished) {
    try {
      return { ...(await this.outputs.write(created, checkpoint, unfinished)), faults: [] };
    } catch (error) {
      if (!isGone(error)) throw error;
      return { outputFileId: null, errorFileId: null, faults: [LOST] };
    }
  }

  async #checkpointOf({ batchId, outcome }: EndedBatchJob): Promise<BatchCheckpoint> {
    const jobId = JobId.parse(batchId);
    try {
      const found =
        outcome === 'completed'
          ? await this.jobs.result(batchJob, jobId)
          : await this.jobs.checkpoint(batchJob, jobId);
      return found ?? NO_PARTS;
    } catch (error) {
      if (isGone(error)) return NO_PARTS;
      throw error;
    }
  }

  async #end(
    created: BatchCreated['data'],
    checkpoint: BatchCheckpoint,
    { outcome: jobOutcome, fault }: EndedBatchJob,
    unfinished: Unfinished,
    context: CommandContext,
  ): Promise<void> {
    const { batchId, lines } = created;
    const { faults: lost, ...files } = await this.#write(created, checkpoint, unfinished);
    const data = {
      ...files,
      batchId,
      jobOutcome,
      counts: countsOf(checkpoint, lines),
      usage: [...usageOnAllRigs(checkpoint)],
      ...doubtsIn(checkpoint),
      faults: [...(fault ? [fault] : []), ...lost].map((one) => ({ ...one, ...OF_ALL })),
      endedAt: instant(this.clock),
    };
    await this.streams.run({ type: 'EndBatch', data }, context);
  }
}

/** A fault of the whole batch. */
const OF_ALL = { param: null, line: null };

const LOST = { code: 'content_gone', message: 'the results of the batch are no longer kept' };

const EXPIRED: Unfinished = {
  code: 'batch_expired',
  message: 'This request could not be executed before the completion window expired.',
};
const CANCELLED: Unfinished = {
  code: 'batch_cancelled',
  message: 'This request was not executed because the batch was cancelled.',
};
const FAILED: Unfinished = {
  code: 'batch_failed',
  message: 'This request was not executed because the batch failed.',
};

const whyUnfinished = ({ outcome }: EndedBatchJob, isExpiring: boolean): Unfinished => {
  switch (outcome) {
    case 'completed':
    case 'failed':
      return FAILED;
    case 'timed_out':
      return EXPIRED;
    case 'cancelled':
      return isExpiring ? EXPIRED : CANCELLED;
  }
};
