import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type AgentSessionEvent, agentSessionEvents } from '#events/agents/agent-session.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  HistoryQuery,
  type LoggedEvent,
  StreamFollower,
  type StreamHistory,
} from '#platform/runtime/subscriptions/stream-follower.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { AgentAccess } from './session/agent-access.js';
import { rejectAgents } from './agents.errors.js';
import { agentStream } from './session/agent-streams.js';

export type LoggedAgentEvent = LoggedEvent<AgentSessionEvent>;

export class AgentHistoryQuery extends HistoryQuery<AgentSessionEvent> {}

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
  async execute({
    id,
    reader,
    after,
  }: AgentHistoryQuery): Promise<StreamHistory<AgentSessionEvent>> {
    const session = await this.access.find(id, reader);
    const stream = agentStream(session.started.sessionId);
    const isOver = session.status === 'ended';
    const followed = { stream, after, isOver, isLast };
    return this.#follower.historyAfter(followed, rejectAfter);
  }
}

const isLast = ({ type }: AgentSessionEvent): boolean => type === 'AgentSessionEnded';

const rejectAfter = (after: bigint): never =>
  rejectAgents('agent_event_unknown', `the session has no event ${after}`);
