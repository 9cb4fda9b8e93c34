import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type JobEvent, jobEvents } from '#events/jobs/job.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { isEnded, type SubmittedJob } from '#platform/jobs/job.state.js';
import { jobStream } from '#platform/jobs/job-streams.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  type LoggedEvent,
  StreamFollower,
  type StreamHistory,
} from '#platform/runtime/subscriptions/stream-follower.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { JobAccess } from './job-access.js';
import { reject } from './jobs.errors.js';

export type LoggedJobEvent = LoggedEvent<JobEvent>;

export type JobHistory = StreamHistory<JobEvent>;

export class JobHistoryQuery extends Query<JobHistory> {
  constructor(
    /** As a caller sent it. */
    readonly jobId: string,
    readonly reader: Reader,
    /** The revision after which the events begin; null for all. */
    readonly after: bigint | null,
  ) {
    super();
  }
}

@QueryHandler(JobHistoryQuery)
export class JobHistoryHandler implements IQueryHandler<JobHistoryQuery> {
  readonly #follower: StreamFollower<JobEvent>;

  constructor(
    @Inject(EVENT_STORE) eventStore: Pick<EventStore, 'read' | 'subscribe'>,
    @Inject(CODEC) codec: EventCodec,
    private readonly access: JobAccess,
  ) {
    this.#follower = new StreamFollower(eventStore, codec.for(jobEvents));
  }

  /**
   * @throws DomainError `job_not_found`, `job_event_unknown` for a revision that the job has not
   */
  async execute({ jobId, reader, after }: JobHistoryQuery): Promise<JobHistory> {
    const job = await this.access.find(jobId, reader);
    const stream = jobStream(job.order.jobId);
    if (after !== null && !(await this.#follower.hasEvent(stream, after))) {
      reject('job_event_unknown', `the job has no event ${after}`);
    }
    const isLast = (event: JobEvent): boolean => isLastOf(job, event);
    return this.#follower.history({ stream, after, isOver: isSettled(job), isLast });
  }
}

const ENDS: readonly JobEvent['type'][] = [
  'JobCompleted',
  'JobFailed',
  'JobCancelled',
  'JobTimedOut',
];

/** A job with a hold is settled after its end; a free one is over with its end. */
const isLastOf = ({ order: { hold } }: SubmittedJob, { type }: JobEvent): boolean =>
  type === 'JobSettled' || (hold === null && ENDS.includes(type));

const isSettled = (job: SubmittedJob): boolean =>
  isEnded(job) && (job.isSettled || job.order.hold === null);
