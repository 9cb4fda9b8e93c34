import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type WorkflowRunEvent, workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  type LoggedEvent,
  StreamFollower,
  type StreamHistory,
} from '#platform/runtime/subscriptions/stream-follower.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { reject } from '../workflows.errors.js';
import { RunAccess } from './run-access.js';
import { runStream } from './workflow-streams.js';

export type LoggedRunEvent = LoggedEvent<WorkflowRunEvent>;

export type RunHistory = StreamHistory<WorkflowRunEvent>;

export class RunHistoryQuery extends Query<RunHistory> {
  constructor(
    /** As a caller sent it. */
    readonly runId: string,
    readonly reader: Reader,
    /** The revision after which the events begin; null for all. */
    readonly after: bigint | null,
  ) {
    super();
  }
}

@QueryHandler(RunHistoryQuery)
export class RunHistoryHandler implements IQueryHandler<RunHistoryQuery> {
  readonly #follower: StreamFollower<WorkflowRunEvent>;

  constructor(
    @Inject(EVENT_STORE) eventStore: Pick<EventStore, 'read' | 'subscribe'>,
    @Inject(CODEC) codec: EventCodec,
    private readonly access: RunAccess,
  ) {
    this.#follower = new StreamFollower(eventStore, codec.for(workflowRunEvents));
  }

  /** @throws DomainError `workflow_run_not_found`, `workflow_event_unknown` */
  async execute({ runId: written, reader, after }: RunHistoryQuery): Promise<RunHistory> {
    const { order, settlement } = await this.access.find(written, reader);
    const stream = runStream(order.runId);
    if (after !== null && !(await this.#follower.hasEvent(stream, after))) {
      reject('workflow_event_unknown', `the run has no event ${after}`);
    }
    return this.#follower.history({ stream, after, isOver: settlement !== null, isLast });
  }
}

const isLast = ({ type }: WorkflowRunEvent): boolean => type === 'WorkflowRunSettled';
