import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PlacedLink } from '#events/placement/placement.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { plusMs } from '#platform/kernel/instants.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { PlacementRigs, type PlacementRig } from './placement-rigs.port.js';
import {
  freeRigs,
  type OpenPlacement,
  type PlacementOrder,
  stageOrderOf,
} from './placement.decider.js';
import { Placements } from './placements.js';
import { candidatesOf } from './stage-plan.js';

export interface MadePlacement {
  readonly placement: OpenPlacement;
  readonly position: bigint;
}

export interface WantedPlacement extends Omit<PlacementOrder, 'placedAt' | 'expiresAt'> {
  readonly reservedSeconds: number;
}

/** Measures the links between the rigs in question, then places the stages. */
export class PlaceStagesCommand extends Command<MadePlacement> {
  constructor(
    readonly wanted: WantedPlacement,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(PlaceStagesCommand)
export class PlaceStagesHandler implements ICommandHandler<PlaceStagesCommand> {
  constructor(
    private readonly placements: Placements,
    private readonly rigs: PlacementRigs,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `placement_infeasible`, `too_many_placements` */
  async execute({ wanted, context }: PlaceStagesCommand): Promise<MadePlacement> {
    const { reservedSeconds, ...order } = wanted;
    const rigs = await this.rigs.rigs();
    const links = await this.#measure(order, rigs);
    const placedAt = instant(this.clock);
    const expiresAt = plusMs(placedAt, reservedSeconds * 1_000);
    const data = { ...order, rigs, links, placedAt, expiresAt };
    const { state, position } = await this.placements.run({ type: 'PlaceStages', data }, context);
    const placement = [...state.open.values()].find(
      ({ accountId, orderId }) => accountId === order.accountId && orderId === order.orderId,
    );
    if (!placement) throw new Error(`the placement of order ${order.orderId} is not in its stream`);
    return { placement, position };
  }

  /** One after the other: transfers at the same time would slow each other down. */
  async #measure(
    order: Omit<PlacementOrder, 'placedAt' | 'expiresAt'>,
    rigs: readonly PlacementRig[],
  ): Promise<readonly PlacedLink[]> {
    const free = freeRigs(rigs, await this.placements.state(), instant(this.clock));
    const stages = stageOrderOf(order);
    const candidates = candidatesOf(stages, free);
    const room = candidates.reduce((sum, candidate) => sum + candidate.stages.length, 0);
    if (room < order.ppDegree) return [];
    const names = candidates.map(({ name }) => name).toSorted();
    const links: PlacedLink[] = [];
    for (const [index, from] of names.entries()) {
      for (const to of names.slice(index + 1)) {
        links.push({ from, to, kilobitsPerSecond: await this.rigs.measure(from, to) });
      }
    }
    return links;
  }
}
