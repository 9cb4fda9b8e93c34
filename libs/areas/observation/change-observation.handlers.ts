import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { StoredObservations } from './stored-observations.js';

/** Deletes an image with its bytes. */
export class DeleteObservationCommand extends Command<void> {
  constructor(
    readonly ingestId: string,
    readonly accountId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DeleteObservationCommand)
export class DeleteObservationHandler implements ICommandHandler<DeleteObservationCommand> {
  constructor(
    private readonly observations: StoredObservations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `observation_not_found` */
  async execute({ ingestId, accountId, context }: DeleteObservationCommand): Promise<void> {
    await this.observations.find(ingestId, { accountId });
    const data = { accountId, deletedAt: instant(this.clock) };
    await this.observations.run(ingestId, { type: 'DeleteObservation', data }, context);
    await this.observations.settleContent(ingestId);
  }
}

/** The command of `observation-content.saga.ts`. It may come twice. */
export class SettleObservationCommand extends Command<void> {
  constructor(readonly ingestId: string) {
    super();
  }
}

@CommandHandler(SettleObservationCommand)
export class SettleObservationHandler implements ICommandHandler<SettleObservationCommand> {
  constructor(private readonly observations: StoredObservations) {}

  execute({ ingestId }: SettleObservationCommand): Promise<void> {
    return this.observations.settleContent(ingestId);
  }
}
