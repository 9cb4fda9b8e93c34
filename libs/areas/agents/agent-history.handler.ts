import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type AgentSessionEvent, agentSessionEvents } from '#events/agents/agent-session.events.js';
import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { AgentAccess, type AgentReader } from './session/agent-access.js';
import { rejectAgents } from './session/agent-session.decider.js';
import { agentStream } from './session/agent-streams.js';

/** An event of a session, with its place in the stream. */
export interface LoggedAgentEvent {
  readonly revision: bigint;
  /** ISO 8601. */
  readonly recordedAt: string;
  readonly event: AgentSessionEvent;
}

/** What may be followed: the events of one session. */
export interface AgentHistory {
  /**
   * Everything after the revision, then live. Ends after the end of the session, or without an
   * error when the signal aborts.
   */
  readonly follow: (signal: AbortSignal) => AsyncGenerator<LoggedAgentEvent, void, void>;
}

export class AgentHistoryQuery extends Query<AgentHistory> {
  constructor(
    /** As a caller sent it. */
    readonly sessionId: string,
    readonly reader: AgentReader,
    /** The revision after which the events begin; null for all. */
    readonly after: bigint | null,
  ) {
    super();
  }
}

@QueryHandler(AgentHistoryQuery)
export class AgentHistoryHandler implements IQueryHandler<AgentHistoryQuery> {
  readonly #codec: CodecOf<AgentSessionEvent>;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'read' | 'subscribe'>,
    @Inject(CODEC) codec: EventCodec,
    private readonly access: AgentAccess,
  ) {
    this.#codec = codec.for(agentSessionEvents);
  }

  /** @throws DomainError `agent_session_not_found`, `agent_event_unknown` */
  async execute({ sessionId, reader, after }: AgentHistoryQuery): Promise<AgentHistory> {
    const session = await this.access.find(sessionId, reader);
    const stream = agentStream(session.started.sessionId);
    if (after !== null && !(await this.#hasEvent(stream, after))) {
      rejectAgents('agent_event_unknown', `the session has no event ${after}`);
    }
    return { follow: (signal) => this.#follow(stream, after, signal) };
  }

  async #hasEvent(stream: string, revision: bigint): Promise<boolean> {
    const pages = await Array.fromAsync(
      this.eventStore.read(stream, { from: revision, maxCount: 1 }),
    );
    return pages.flat().length > 0;
  }

  async *#follow(
    stream: string,
    after: bigint | null,
    signal: AbortSignal,
  ): AsyncGenerator<LoggedAgentEvent, void, void> {
    let position: Position = 0n;
    let isOver = false;
    for await (const page of this.eventStore.read(stream)) {
      for (const recorded of page) {
        if (signal.aborted) return;
        position = recorded.position;
        const logged = this.#logged(recorded);
        isOver ||= isLast(logged.event);
        if (after === null || recorded.revision > after) yield logged;
      }
    }
    if (isOver) return;
    const filter = { by: 'stream', prefixes: [stream] } as const;
    for await (const { events } of this.eventStore.subscribe({ after: position, filter, signal })) {
      for (const recorded of events) {
        const logged = this.#logged(recorded);
        yield logged;
        if (isLast(logged.event)) return;
      }
    }
  }

  #logged(recorded: RecordedEvent): LoggedAgentEvent {
    const { revision, recordedAt } = recorded;
    return { revision, recordedAt, event: this.#codec.revive(recorded) };
  }
}

const isLast = ({ type }: AgentSessionEvent): boolean => type === 'AgentSessionEnded';
