import { type JobEvent } from '#events/jobs/job.events.js';
import { type Position, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type ProjectionTo } from '#platform/kernel/projection.js';
import { type EndOfJob, type OpenJob } from './open-job.js';

/** The open jobs as a read model has them, and the position from which events are missing in it. */
export interface LoadedJobs {
  readonly jobs: readonly { readonly job: OpenJob; readonly position: Position }[];
  readonly position: Position;
}

/** The jobs that have not ended, and the ends of the others. */
export abstract class OpenJobs {
  /** The read model of open jobs, whose fold keeps the dispatcher current. */
  abstract readonly projection: ProjectionTo<OpenJob>;

  abstract load(): Promise<LoadedJobs>;

  /** How a job ended; null for one that is open. */
  abstract endOf(jobId: string): Promise<EndOfJob | null>;

  abstract revive(recorded: RecordedEvent): JobEvent;
}
