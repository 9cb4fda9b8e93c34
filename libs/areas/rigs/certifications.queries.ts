import { isDeepStrictEqual } from 'node:util';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type WorkerRigDescription } from '#events/fleet/worker-rig.events.js';
import { JobId } from '#events/jobs/job.events.js';
import { type Badge, type RigCertified } from '#events/rigs/rig.events.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { isEnded } from '#platform/jobs/job.state.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { rigCertifications } from '#projections/rigs/rig-certifications.projection.js';
import { certificationJob } from './certification.job.js';

/** The standing of a rig now. */
export interface RigStanding {
  readonly rig: string;
  /** Null without a certification that is valid now. */
  readonly badge: Badge | null;
  /** `outdated`: the worker has another device, or other models, than the one that was measured. */
  readonly status: 'valid' | 'expired' | 'outdated' | 'never_certified';
  /** The last one, also when it is no longer valid. */
  readonly certification: RigCertified['data'] | null;
}

/** A rig whose standing is asked for. */
export interface StandingRig {
  readonly name: string;
  /** The description by its worker now; null for a rig of the catalog. */
  readonly description: WorkerRigDescription | null;
}

export class RigStandingsQuery extends Query<readonly RigStanding[]> {
  constructor(readonly rigs: readonly StandingRig[]) {
    super();
  }
}

@QueryHandler(RigStandingsQuery)
export class RigStandingsHandler implements IQueryHandler<RigStandingsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ rigs }: RigStandingsQuery): Promise<readonly RigStanding[]> {
    const now = instant(this.clock);
    return Promise.all(
      rigs.map(async (rig) => {
        const { document } = await this.projections.get(rigCertifications, rig.name);
        return standingOf(rig, document?.last ?? null, now);
      }),
    );
  }
}

const standingOf = (
  { name: rig, description }: StandingRig,
  last: RigCertified['data'] | null,
  now: string,
): RigStanding => {
  // A rig of the catalog and one of a worker that have had the same name are two.
  const certification = (last?.description === null) === (description === null) ? last : null;
  if (!certification) return { rig, badge: null, status: 'never_certified', certification };
  if (certification.expiresAt <= now) return { rig, badge: null, status: 'expired', certification };
  return isDeepStrictEqual(measuredOf(certification.description), measuredOf(description))
    ? { rig, badge: certification.badge, status: 'valid', certification }
    : { rig, badge: null, status: 'outdated', certification };
};

/** The properties that the figures depend on: another region is the same machine. */
const measuredOf = (description: WorkerRigDescription | null) =>
  description && { ...description, region: null };

/** How a certification has ended. */
export type CertificationOutcome =
  /** With this certification, or with a later one that has replaced it. */
  | { readonly status: 'certified'; readonly certification: RigCertified['data'] }
  | { readonly status: 'pending' }
  /** The job ended without a result. */
  | { readonly status: 'failed' | 'cancelled' | 'timed_out' };

export class CertificationOutcomeQuery extends Query<CertificationOutcome> {
  constructor(
    readonly rig: string,
    /** Of the job. */
    readonly certificationId: string,
  ) {
    super();
  }
}

@QueryHandler(CertificationOutcomeQuery)
export class CertificationOutcomeHandler implements IQueryHandler<CertificationOutcomeQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    private readonly streams: JobStreams,
    private readonly jobs: Jobs,
  ) {}

  async execute({
    rig,
    certificationId,
  }: CertificationOutcomeQuery): Promise<CertificationOutcome> {
    const job = await this.streams.stateOf(certificationId);
    if (job.status === 'absent' || !isEnded(job)) return { status: 'pending' };
    if (job.status !== 'completed') return { status: job.status };
    const facts = await this.jobs.result(certificationJob, JobId.parse(certificationId));
    const { document } = await this.projections.get(rigCertifications, rig);
    const certification = document?.last;
    return facts && certification && certification.measuredAt >= facts.measuredAt
      ? { status: 'certified', certification }
      : { status: 'pending' };
  }
}
