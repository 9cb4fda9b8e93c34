import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { type WorkerRig, workerRigs } from '#projections/fleet/worker-rigs.projection.js';

/** A rig that is lost or has stopped is listed for this long. */
const GONE_MS = 86_400_000;
const RIGS_MAX = 10_000;

/** The rigs that are up, and the rigs that were up within a day. */
export class WorkerRigsQuery extends Query<readonly WorkerRig[]> {}

@QueryHandler(WorkerRigsQuery)
export class WorkerRigsHandler implements IQueryHandler<WorkerRigsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(): Promise<readonly WorkerRig[]> {
    const { documents } = await this.projections.list(workerRigs, { limit: RIGS_MAX });
    const since = new Date(this.clock.now() - GONE_MS).toISOString();
    return documents.flatMap(({ document: { rig } }) =>
      rig && (rig.presence === 'up' || rig.changedAt >= since) ? [rig] : [],
    );
  }
}

/** Any rig that a worker has ever registered as; null for none. */
export class WorkerRigQuery extends Query<WorkerRig | null> {
  constructor(readonly rig: string) {
    super();
  }
}

@QueryHandler(WorkerRigQuery)
export class WorkerRigHandler implements IQueryHandler<WorkerRigQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>) {}

  async execute({ rig }: WorkerRigQuery): Promise<WorkerRig | null> {
    const { document } = await this.projections.get(workerRigs, rig);
    return document?.rig ?? null;
  }
}
