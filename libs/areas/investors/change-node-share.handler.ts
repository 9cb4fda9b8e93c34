import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type NodeShareAllocated } from '#events/investors/investor.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { InvestorAccess } from './investor-access.js';
import { NodeStreams } from './node-streams.js';

export type NewNodeShare = Omit<NodeShareAllocated['data'], 'allocationId' | 'allocatedAt'>;

/** Allocates a share in a rig. The id of the request is the id of the allocation. */
export class AllocateNodeShareCommand extends Command<string> {
  constructor(
    readonly data: NewNodeShare,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(AllocateNodeShareCommand)
export class AllocateNodeShareHandler implements ICommandHandler<AllocateNodeShareCommand> {
  constructor(
    private readonly nodes: NodeStreams,
    private readonly access: InvestorAccess,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `investor_not_found`, `node_oversold`, `purchase_in_future` */
  async execute({ data: share, context }: AllocateNodeShareCommand): Promise<string> {
    await this.access.demandInvestor(share.investorId);
    const allocationId = context.requestId;
    const data = { ...share, allocationId, allocatedAt: instant(this.clock) };
    await this.nodes.run({ type: 'AllocateShare', data }, context);
    return allocationId;
  }
}

/** Ends a share in a rig. What it has earned stays. */
export class EndNodeShareCommand extends Command<void> {
  constructor(
    readonly data: { readonly rig: string; readonly allocationId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndNodeShareCommand)
export class EndNodeShareHandler implements ICommandHandler<EndNodeShareCommand> {
  constructor(
    private readonly nodes: NodeStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `node_share_not_found` */
  async execute({ data: { rig, allocationId }, context }: EndNodeShareCommand): Promise<void> {
    const data = { rig, allocationId, endedAt: instant(this.clock) };
    await this.nodes.run({ type: 'EndShare', data }, context);
  }
}
