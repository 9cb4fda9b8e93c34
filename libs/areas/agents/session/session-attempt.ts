import { type AgentSessionStarted } from '#events/agents/agent-session.events.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';

/** One attempt at a session, as the code that runs it needs it. */
export class SessionAttempt {
  constructor(
    readonly started: AgentSessionStarted['data'],
    /** From 1. */
    private readonly attempt: number,
    readonly signal: AbortSignal,
  ) {}

  /** Two attempts that overlap must not write events of one id: the first in the log counts. */
  contextOf(what: string): CommandContext {
    const { sessionId: id } = this.started;
    return followUp({ id, correlationId: id }, `${what}, attempt ${this.attempt}`, 'system');
  }

  /** The same context for every attempt, so that a repeated renewal has the same id. */
  sharedContextOf(what: string): CommandContext {
    const { sessionId: id } = this.started;
    return followUp({ id, correlationId: id }, what, 'system');
  }

  /** The instant whose prices hold for the whole session. */
  get pricedAtMs(): number {
    return Date.parse(this.started.startedAt);
  }
}
