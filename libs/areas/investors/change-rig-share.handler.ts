import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type RigShareAllocated } from '#events/investors/investor.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { InvestorAccess } from './investor-access.js';
import { RigShareStreams } from './rig-share-streams.js';

export type NewRigShare = Omit<RigShareAllocated['data'], 'allocationId' | 'allocatedAt'>;

/** Allocates a share in a rig. The id of the request is the id of the allocation. */
export class AllocateRigShareCommand extends Command<string> {
  constructor(
    readonly data: NewRigShare,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(AllocateRigShareCommand)
export class AllocateRigShareHandler implements ICommandHandler<AllocateRigShareCommand> {
  constructor(
    private readonly nodes: RigShareStreams,
    private readonly access: InvestorAccess,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `investor_not_found`, `node_oversold`, `purchase_in_future` */
  async execute({ data: share, context }: AllocateRigShareCommand): Promise<string> {
    await this.access.demandInvestor(share.investorId);
    const allocationId = context.requestId;
    const data = { ...share, allocationId, allocatedAt: instant(this.clock) };
    await this.nodes.run({ type: 'AllocateShare', data }, context);
    return allocationId;
  }
}

/** Ends a share in a rig. What it has earned stays. */
export class EndRigShareCommand extends Command<void> {
  constructor(
    readonly data: { readonly rig: string; readonly allocationId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndRigShareCommand)
export class EndRigShareHandler implements ICommandHandler<EndRigShareCommand> {
  constructor(
    private readonly nodes: RigShareStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `node_share_not_found` */
  async execute({ data: { rig, allocationId }, context }: EndRigShareCommand): Promise<void> {
    const data = { rig, allocationId, endedAt: instant(this.clock) };
    await this.nodes.run({ type: 'EndShare', data }, context);
  }
}
