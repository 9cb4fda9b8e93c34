import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { RunAccess } from './run-access.js';
import { WorkflowStreams } from './workflow-streams.js';

/** Cancels a run, or decides an approval of it. */
export class ChangeRunCommand extends Command<void> {
  constructor(
    /** As a caller sent it. */
    readonly runId: string,
    readonly reader: Reader,
    readonly change: 'cancel' | { readonly node: string; readonly isApproved: boolean },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeRunCommand)
export class ChangeRunHandler implements ICommandHandler<ChangeRunCommand> {
  constructor(
    private readonly access: RunAccess,
    private readonly streams: WorkflowStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * An ended run that is cancelled stays as it is.
   * @throws DomainError `workflow_run_not_found`, `workflow_run_ended`,
   *   `workflow_approval_not_found`, `workflow_approval_decided`
   */
  async execute({ runId: written, reader, change, context }: ChangeRunCommand): Promise<void> {
    const { runId } = (await this.access.find(written, reader)).order;
    const at = instant(this.clock);
    if (change === 'cancel') {
      const data = { runId, status: 'cancelled', at } as const;
      await this.streams.onRun({ type: 'StopRun', data }, context);
      return;
    }
    const decided = { ...change, decidedBy: context.actor, decidedAt: at };
    await this.streams.onRun({ type: 'DecideApproval', data: { runId, ...decided } }, context);
  }
}
