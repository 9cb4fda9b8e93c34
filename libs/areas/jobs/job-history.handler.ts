import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type JobEvent, jobEvents } from '#events/jobs/job.events.js';
import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { isEnded, type SubmittedJob } from '#platform/jobs/job.state.js';
import { jobStream } from '#platform/jobs/job-streams.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { JobAccess, type JobReader } from './job-access.js';
import { reject } from './jobs.errors.js';

/** An event of a job, with its place in the stream. */
export interface LoggedJobEvent {
  readonly revision: bigint;
  /** ISO 8601. */
  readonly recordedAt: string;
  readonly event: JobEvent;
}

/** What may be followed: the events of one job. */
export interface JobHistory {
  /**
   * Everything after the revision, then live. Ends after the last event of the job, or without an
   * error when the signal aborts.
   */
  readonly follow: (signal: AbortSignal) => AsyncGenerator<LoggedJobEvent, void, void>;
}

export class JobHistoryQuery extends Query<JobHistory> {
  constructor(
    /** As a caller sent it. */
    readonly jobId: string,
    readonly reader: JobReader,
    /** The revision after which the events begin; null for all. */
    readonly after: bigint | null,
  ) {
    super();
  }
}

@QueryHandler(JobHistoryQuery)
export class JobHistoryHandler implements IQueryHandler<JobHistoryQuery> {
  readonly #codec: CodecOf<JobEvent>;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'read' | 'subscribe'>,
    @Inject(CODEC) codec: EventCodec,
    private readonly access: JobAccess,
  ) {
    this.#codec = codec.for(jobEvents);
  }

  /**
   * @throws DomainError `job_not_found`, `job_event_unknown` for a revision that the job has not
   */
  async execute({ jobId, reader, after }: JobHistoryQuery): Promise<JobHistory> {
    const job = await this.access.find(jobId, reader);
    if (after !== null && !(await this.#hasEvent(job, after))) {
      reject('job_event_unknown', `the job has no event ${after}`);
    }
    return { follow: (signal) => this.#follow(job, after, signal) };
  }

  async #hasEvent({ order: { jobId } }: SubmittedJob, revision: bigint): Promise<boolean> {
    const range = { from: revision, maxCount: 1 };
    const pages = await Array.fromAsync(this.eventStore.read(jobStream(jobId), range));
    return pages.flat().length > 0;
  }

  async *#follow(
    job: SubmittedJob,
    after: bigint | null,
    signal: AbortSignal,
  ): AsyncGenerator<LoggedJobEvent, void, void> {
    const stream = jobStream(job.order.jobId);
    let position: Position = 0n;
    let isOver = isSettled(job);
    // The event at `after` is read for its position, where the subscription begins.
    for await (const page of this.eventStore.read(stream, { from: after ?? 0n })) {
      for (const recorded of page) {
        if (signal.aborted) return;
        position = recorded.position;
        const logged = this.#logged(recorded);
        isOver ||= isLast(logged.event, job);
        if (after === null || recorded.revision > after) yield logged;
      }
    }
    if (isOver) return;
    const filter = { by: 'stream', prefixes: [stream] } as const;
    for await (const { events } of this.eventStore.subscribe({ after: position, filter, signal })) {
      for (const recorded of events) {
        const logged = this.#logged(recorded);
        yield logged;
        if (isLast(logged.event, job)) return;
      }
    }
  }

  #logged(recorded: RecordedEvent): LoggedJobEvent {
    const { revision, recordedAt } = recorded;
    return { revision, recordedAt, event: this.#codec.revive(recorded) };
  }
}

const ENDS: readonly JobEvent['type'][] = [
  'JobCompleted',
  'JobFailed',
  'JobCancelled',
  'JobTimedOut',
];

/** A job with a hold is settled after its end; a free one is over with its end. */
const isLast = ({ type }: JobEvent, { order: { hold } }: SubmittedJob): boolean =>
  type === 'JobSettled' || (hold === null && ENDS.includes(type));

const isSettled = (job: SubmittedJob): boolean =>
  isEnded(job) && (job.isSettled || job.order.hold === null);
