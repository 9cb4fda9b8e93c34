import { Injectable } from '@nestjs/common';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import { AgentSessionId } from '#events/agents/agent-session.events.js';
import { rejectAgents } from '../agents.errors.js';
import { type StartedSession } from './agent-session.state.js';
import { AgentStreams } from './agent-streams.js';

export const noSession = (): never =>
  rejectAgents('agent_session_not_found', 'there is no agent session with this id');

/** Finds the sessions that a reader may see. */
@Injectable()
export class AgentAccess {
  constructor(private readonly streams: AgentStreams) {}

  /**
   * The session as the log has it now.
   * @param written an id as a caller sent it
   * @throws DomainError `agent_session_not_found`, for the session of another account too
   */
  async find(written: string, reader: Reader): Promise<StartedSession> {
    const id = AgentSessionId.safeParse(written);
    if (!id.success) return noSession();
    const session = await this.streams.stateOf(id.data);
    if (session.status === 'absent') return noSession();
    return maySee(reader, session.started.accountId) ? session : noSession();
  }
}
