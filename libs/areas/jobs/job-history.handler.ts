import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type JobEvent, jobEvents } from '#events/jobs/job.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { isEnded, type SubmittedJob } from '#platform/jobs/job.state.js';
import { jobStream } from '#platform/jobs/job-streams.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  HistoryQuery,
  type LoggedEvent,
  StreamFollower,
  type StreamHistory,
} from '#platform/runtime/subscriptions/stream-follower.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { JobAccess } from './job-access.js';
import { reject } from './jobs.errors.js';

export type LoggedJobEvent = LoggedEvent<JobEvent>;

export class JobHistoryQuery extends HistoryQuery<JobEvent> {}

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
  async execute({ id, reader, after }: JobHistoryQuery): Promise<StreamHistory<JobEvent>> {
    const job = await this.access.find(id, reader);
    const stream = jobStream(job.order.jobId);
    const isLast = (event: JobEvent): boolean => isLastOf(job, event);
    const followed = { stream, after, isOver: isSettled(job), isLast };
    return this.#follower.historyAfter(followed, rejectAfter);
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

const rejectAfter = (after: bigint): never =>
  reject('job_event_unknown', `the job has no event ${after}`);
