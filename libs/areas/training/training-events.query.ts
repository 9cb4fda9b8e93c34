import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { jobEvents, type JobEvent } from '#events/jobs/job.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { jobStream } from '#platform/jobs/job-streams.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';

export interface TrainingEventPage {
  /** Newest first. */
  readonly events: readonly {
    readonly revision: bigint;
    readonly recordedAt: string;
    readonly event: JobEvent;
  }[];
  readonly hasMore: boolean;
}

/** A page of the events of a job whose reader was checked. */
export class TrainingEventsQuery extends Query<TrainingEventPage> {
  constructor(
    readonly jobId: string,
    /** The revision behind which the page ends; null: the newest. */
    readonly before: bigint | null,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(TrainingEventsQuery)
export class TrainingEventsHandler implements IQueryHandler<TrainingEventsQuery> {
  readonly #codec: CodecOf<JobEvent>;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'read'>,
    @Inject(CODEC) codec: EventCodec,
  ) {
    this.#codec = codec.for(jobEvents);
  }

  async execute({ jobId, before, limit }: TrainingEventsQuery): Promise<TrainingEventPage> {
    if (before === 0n) return { events: [], hasMore: false };
    const pages = this.eventStore.read(jobStream(jobId), {
      direction: 'backwards',
      maxCount: limit + 1,
      ...(before !== null && { from: before - 1n }),
    });
    const recorded = (await Array.fromAsync(pages)).flat();
    const events = recorded.slice(0, limit).map((one) => ({
      revision: one.revision,
      recordedAt: one.recordedAt,
      event: this.#codec.revive(one),
    }));
    return { events, hasMore: recorded.length > limit };
  }
}
