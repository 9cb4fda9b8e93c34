import { Inject, Injectable } from '@nestjs/common';
import { type AgentSessionEvent, agentSessionEvents } from '#events/agents/agent-session.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type AgentSessionCommand, agentSessionDecider } from './agent-session.decider.js';
import { type AgentSessionState } from './agent-session.state.js';

export const agentStream = (sessionId: string): string => `agentsession-${sessionId}`;

/** Runs the commands of every agent session. */
@Injectable()
export class AgentStreams {
  readonly #runner: CommandRunner<AgentSessionCommand, AgentSessionState, AgentSessionEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = agentSessionDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(agentSessionEvents) });
  }

  /** @throws DomainError `agent_session_not_found`, `agent_budget_exceeded` */
  async run(command: AgentSessionCommand, context: CommandContext): Promise<AgentSessionState> {
    const stream = agentStream(command.data.sessionId);
    return (await this.#runner.run(stream, command, context)).state;
  }

  /** Whether the command was new: false when its event was in the log already. */
  async isNew(command: AgentSessionCommand, context: CommandContext): Promise<boolean> {
    const stream = agentStream(command.data.sessionId);
    return (await this.#runner.run(stream, command, context)).events.length > 0;
  }

  /** The session as the log has it now. */
  async stateOf(sessionId: string): Promise<AgentSessionState> {
    return (await this.#runner.stateOf(agentStream(sessionId))).state;
  }
}
