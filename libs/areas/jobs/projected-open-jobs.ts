import { Inject, Injectable } from '@nestjs/common';
import { type JobEvent, jobEvents } from '#events/jobs/job.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { isEnded } from '#platform/jobs/job.state.js';
import { type EndOfJob } from '#platform/jobs/open-job.js';
import { type LoadedJobs, OpenJobs } from '#platform/jobs/open-jobs.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CODEC, PROJECTIONS } from '#platform/runtime/tokens.js';
import { openJobs } from '#projections/jobs/open-jobs.projection.js';

/** Reads open jobs from their projection, and ended ones from their streams. */
@Injectable()
export class ProjectedOpenJobs extends OpenJobs {
  readonly projection = openJobs;

  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly streams: JobStreams,
    @Inject(CODEC) private readonly codec: EventCodec,
  ) {
    super();
  }

  /**
   * Pages are read one after the other, so the later ones may be newer than the position: each job
   * says how new it is.
   */
  async load(): Promise<LoadedJobs> {
    const { documents, position } = await allDocuments(this.projections, openJobs);
    const jobs = documents.map(({ document: job, position: at }) => ({ job, position: at }));
    return { jobs, position };
  }

  async endOf(jobId: string): Promise<EndOfJob | null> {
    const job = await this.streams.stateOf(jobId);
    if (job.status === 'absent') return 'absent';
    if (!isEnded(job)) return null;
    return job.status === 'completed' ? 'completed' : 'unfinished';
  }

  revive(recorded: RecordedEvent): JobEvent {
    return this.codec.for(jobEvents).revive(recorded);
  }
}
