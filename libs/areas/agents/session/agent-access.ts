import { Injectable } from '@nestjs/common';
import { AgentSessionId } from '#events/agents/agent-session.events.js';
import { rejectAgents } from './agent-session.decider.js';
import { type StartedSession } from './agent-session.state.js';
import { AgentStreams } from './agent-streams.js';

/** On whose behalf a session is read: an admin sees every session, others those of their account. */
export type AgentReader = 'admin' | { readonly accountId: string };

export const maySee = (reader: AgentReader, accountId: string): boolean =>
  reader === 'admin' || reader.accountId === accountId;

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
  async find(written: string, reader: AgentReader): Promise<StartedSession> {
    const id = AgentSessionId.safeParse(written);
    if (!id.success) return noSession();
    const session = await this.streams.stateOf(id.data);
    if (session.status === 'absent') return noSession();
    return maySee(reader, session.started.accountId) ? session : noSession();
  }
}
