import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { BatchId } from '#events/batches/batch.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { BatchStreams } from './batch-streams.js';
import { type BatchesErrorCode } from './batches.errors.js';

/** Requests the cancellation; the saga stops the job. */
export class CancelBatchCommand extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly batchId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CancelBatchCommand)
export class CancelBatchHandler implements ICommandHandler<CancelBatchCommand> {
  constructor(
    private readonly streams: BatchStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `batch_not_found`, `batch_not_cancellable` */
  async execute({ accountId, batchId: id, context }: CancelBatchCommand): Promise<void> {
    const state = await this.streams.stateOf(id);
    if (state.status === 'absent' || state.created.accountId !== accountId) throw notFound();
    const data = { batchId: BatchId.parse(id), requestedAt: instant(this.clock) };
    await this.streams.run({ type: 'RequestCancellation', data }, context);
  }
}

export const notFound = (): DomainError<BatchesErrorCode> =>
  new DomainError('batch_not_found', 'the account has no batch with this id');
