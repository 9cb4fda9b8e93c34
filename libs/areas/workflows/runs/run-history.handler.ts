import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type WorkflowRunEvent, workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { reject } from '../workflows.errors.js';
import { RunAccess, type RunReader } from './run-access.js';
import { runStream } from './workflow-streams.js';

/** An event of a run, with its place in the stream. */
export interface LoggedRunEvent {
  readonly revision: bigint;
  /** ISO 8601. */
  readonly recordedAt: string;
  readonly event: WorkflowRunEvent;
}

/** What may be followed: the events of one run. */
export interface RunHistory {
  /**
   * Everything after the revision, then live. Ends after the settlement of the run, or without an
   * error when the signal aborts.
   */
  readonly follow: (signal: AbortSignal) => AsyncGenerator<LoggedRunEvent, void, void>;
}

export class RunHistoryQuery extends Query<RunHistory> {
  constructor(
    /** As a caller sent it. */
    readonly runId: string,
    readonly reader: RunReader,
    /** The revision after which the events begin; null for all. */
    readonly after: bigint | null,
  ) {
    super();
  }
}

@QueryHandler(RunHistoryQuery)
export class RunHistoryHandler implements IQueryHandler<RunHistoryQuery> {
  readonly #codec: CodecOf<WorkflowRunEvent>;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'read' | 'subscribe'>,
    @Inject(CODEC) codec: EventCodec,
    private readonly access: RunAccess,
  ) {
    this.#codec = codec.for(workflowRunEvents);
  }

  /** @throws DomainError `workflow_run_not_found`, `workflow_event_unknown` */
  async execute({ runId: written, reader, after }: RunHistoryQuery): Promise<RunHistory> {
    const { runId } = (await this.access.find(written, reader)).order;
    if (after !== null && !(await this.#hasEvent(runId, after))) {
      reject('workflow_event_unknown', `the run has no event ${after}`);
    }
    return { follow: (signal) => this.#follow(runStream(runId), after, signal) };
  }

  async #hasEvent(runId: string, revision: bigint): Promise<boolean> {
    const range = { from: revision, maxCount: 1 };
    const pages = await Array.fromAsync(this.eventStore.read(runStream(runId), range));
    return pages.flat().length > 0;
  }

  async *#follow(
    stream: string,
    after: bigint | null,
    signal: AbortSignal,
  ): AsyncGenerator<LoggedRunEvent, void, void> {
    let position: Position = 0n;
    let isOver = false;
    // All of it is read, since the run may have ended before the event that the caller has seen.
    for await (const page of this.eventStore.read(stream)) {
      for (const recorded of page) {
        if (signal.aborted) return;
        position = recorded.position;
        isOver ||= isLast(recorded);
        if (after === null || recorded.revision > after) yield this.#logged(recorded);
      }
    }
    if (isOver) return;
    const filter = { by: 'stream', prefixes: [stream] } as const;
    for await (const { events } of this.eventStore.subscribe({ after: position, filter, signal })) {
      for (const recorded of events) {
        yield this.#logged(recorded);
        if (isLast(recorded)) return;
      }
    }
  }

  #logged(recorded: RecordedEvent): LoggedRunEvent {
    const { revision, recordedAt } = recorded;
    return { revision, recordedAt, event: this.#codec.revive(recorded) };
  }
}

const isLast = ({ type }: RecordedEvent): boolean => type === 'WorkflowRunSettled';
