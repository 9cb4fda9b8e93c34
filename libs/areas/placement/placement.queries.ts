import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type Placement,
  placementKey,
  placements,
  placementsPrefix,
} from '#projections/placement/placements.projection.js';
import { reject } from './placement.errors.js';

export interface FoundPlacement {
  readonly placement: Placement;
  readonly position: bigint;
}

export class PlacementQuery extends Query<FoundPlacement> {
  constructor(
    readonly accountId: string,
    readonly placementId: number,
  ) {
    super();
  }
}

/** A placement whose time has passed is shown so before the log has its end. */
const asOf = (placement: Placement, now: string): Placement =>
  placement.status === 'placed' && placement.expiresAt <= now
    ? { ...placement, status: 'expired', endedAt: placement.expiresAt }
    : placement;

@QueryHandler(PlacementQuery)
export class PlacementHandler implements IQueryHandler<PlacementQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `placement_not_found` */
  async execute({ accountId, placementId }: PlacementQuery): Promise<FoundPlacement> {
    const key = placementKey(accountId, placementId);
    const { document, position } = await this.projections.get(placements, key);
    const placement = document?.placement;
    if (!placement) return reject('placement_not_found', `there is no placement ${placementId}`);
    return { placement: asOf(placement, instant(this.clock)), position };
  }
}

export interface PlacementPage {
  readonly placements: readonly Placement[];
  readonly total: number;
  readonly position: bigint;
}

/** A page of placements, newest first. */
export class PlacementsQuery extends Query<PlacementPage> {
  constructor(
    /** Null: of all accounts, by account. */
    readonly accountId: string | null,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(PlacementsQuery)
export class PlacementsHandler implements IQueryHandler<PlacementsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list' | 'count'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId, page, limit }: PlacementsQuery): Promise<PlacementPage> {
    const prefix = placementsPrefix(accountId);
    const { documents, total, position } = await numberedPage(this.projections, placements, {
      prefix,
      direction: 'backwards',
      page,
      limit,
    });
    const now = instant(this.clock);
    const found = documents.flatMap(({ document: { placement } }) =>
      placement ? [asOf(placement, now)] : [],
    );
    return {
      placements: found,
      total,
      position,
    };
  }
}
