import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type WorkflowRunEvent, workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  HistoryQuery,
  type LoggedEvent,
  StreamFollower,
  type StreamHistory,
} from '#platform/runtime/subscriptions/stream-follower.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { reject } from '../workflows.errors.js';
import { RunAccess } from './run-access.js';
import { runStream } from './workflow-streams.js';

export type LoggedRunEvent = LoggedEvent<WorkflowRunEvent>;

export class RunHistoryQuery extends HistoryQuery<WorkflowRunEvent> {}

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
  async execute({ id, reader, after }: RunHistoryQuery): Promise<StreamHistory<WorkflowRunEvent>> {
    const { order, settlement } = await this.access.find(id, reader);
    const stream = runStream(order.runId);
    const followed = { stream, after, isOver: settlement !== null, isLast };
    return this.#follower.historyAfter(followed, rejectAfter);
  }
}

const isLast = ({ type }: WorkflowRunEvent): boolean => type === 'WorkflowRunSettled';

const rejectAfter = (after: bigint): never =>
  reject('workflow_event_unknown', `the run has no event ${after}`);
