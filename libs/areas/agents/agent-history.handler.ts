import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type AgentSessionEvent, agentSessionEvents } from '#events/agents/agent-session.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  type LoggedEvent,
  StreamFollower,
  type StreamHistory,
} from '#platform/runtime/subscriptions/stream-follower.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { AgentAccess } from './session/agent-access.js';
import { rejectAgents } from './session/agent-session.decider.js';
import { agentStream } from './session/agent-streams.js';

export type LoggedAgentEvent = LoggedEvent<AgentSessionEvent>;

export type AgentHistory = StreamHistory<AgentSessionEvent>;

export class AgentHistoryQuery extends Query<AgentHistory> {
  constructor(
    /** As a caller sent it. */
    readonly sessionId: string,
    readonly reader: Reader,
    /** The revision after which the events begin; null for all. */
    readonly after: bigint | null,
  ) {
    super();
  }
}

@QueryHandler(AgentHistoryQuery)
export class AgentHistoryHandler implements IQueryHandler<AgentHistoryQuery> {
  readonly #follower: StreamFollower<AgentSessionEvent>;

  constructor(
    @Inject(EVENT_STORE) eventStore: Pick<EventStore, 'read' | 'subscribe'>,
    @Inject(CODEC) codec: EventCodec,
    private readonly access: AgentAccess,
  ) {
    this.#follower = new StreamFollower(eventStore, codec.for(agentSessionEvents));
  }

  /** @throws DomainError `agent_session_not_found`, `agent_event_unknown` */
  async execute({ sessionId, reader, after }: AgentHistoryQuery): Promise<AgentHistory> {
    const session = await this.access.find(sessionId, reader);
    const stream = agentStream(session.started.sessionId);
    if (after !== null && !(await this.#follower.hasEvent(stream, after))) {
      rejectAgents('agent_event_unknown', `the session has no event ${after}`);
    }
    const isOver = session.status === 'ended';
    return this.#follower.history({ stream, after, isOver, isLast });
  }
}

const isLast = ({ type }: AgentSessionEvent): boolean => type === 'AgentSessionEnded';
