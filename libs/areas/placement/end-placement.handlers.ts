import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Placements } from './placements.js';

/** Frees the memory of a placement. */
export class ReleasePlacementCommand extends Command<void> {
  constructor(
    readonly placementId: number,
    /** Null: the operator releases it. */
    readonly accountId: string | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReleasePlacementCommand)
export class ReleasePlacementHandler implements ICommandHandler<ReleasePlacementCommand> {
  constructor(
    private readonly placements: Placements,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `placement_not_found` */
  async execute({ placementId, accountId, context }: ReleasePlacementCommand): Promise<void> {
    const data = { placementId, accountId, releasedAt: instant(this.clock) };
    await this.placements.run({ type: 'ReleasePlacement', data }, context);
  }
}

export class ExpirePlacementCommand extends Command<void> {
  constructor(
    readonly placementId: number,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** The command of `placement-expiry.saga.ts` when the time of a placement has passed. */
export const expirePlacement = (
  { placementId }: { readonly placementId: number },
  context: CommandContext,
): ExpirePlacementCommand => new ExpirePlacementCommand(placementId, context);

@CommandHandler(ExpirePlacementCommand)
export class ExpirePlacementHandler implements ICommandHandler<ExpirePlacementCommand> {
  constructor(
    private readonly placements: Placements,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ placementId, context }: ExpirePlacementCommand): Promise<void> {
    const data = { placementId, expiredAt: instant(this.clock) };
    await this.placements.run({ type: 'ExpirePlacement', data }, context);
  }
}
