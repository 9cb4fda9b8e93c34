import { Inject, Injectable } from '@nestjs/common';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AGENT_SETTINGS, type AgentSettings, transcriptUntil } from '../agents.settings.js';
import { type AgentSessionState, type NextMove } from './agent-session.state.js';
import { AgentStreams } from './agent-streams.js';
import { type SessionAttempt } from './session-attempt.js';
import { StepPlanner } from './step-planner.js';
import { ToolCaller } from './tool-caller.js';

/** Carries out one move of a session, and returns the session behind it. */
@Injectable()
export class SessionWork {
  constructor(
    private readonly streams: AgentStreams,
    private readonly planner: StepPlanner,
    private readonly caller: ToolCaller,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  start(session: SessionAttempt): Promise<AgentSessionState> {
    const context = session.sharedContextOf('start');
    return this.streams.run({ type: 'StartSession', data: session.started }, context);
  }

  async doNext(
    session: SessionAttempt,
    move: NextMove,
    state: AgentSessionState,
  ): Promise<AgentSessionState> {
    if (state.status === 'absent') return state;
    switch (move.kind) {
      case 'plan': {
        const planning = await this.planner.plan(session, state, move.step);
        if (planning.kind === 'ended') return this.#end(session, planning);
        const { data } = planning;
        const context = session.contextOf(`plan ${move.step}`);
        return this.streams.run({ type: 'RecordPlan', data }, context);
      }
      case 'call':
        return this.caller.call(session, state, move.step);
      case 'end':
        return this.#end(session, move);
      case 'nothing':
        return state;
    }
  }

  #end(
    session: SessionAttempt,
    {
      status,
      reason,
    }: { readonly status: 'completed' | 'budget_exhausted' | 'failed'; readonly reason: string },
  ): Promise<AgentSessionState> {
    const { sessionId } = session.started;
    const endedAt = instant(this.clock);
    const kept = transcriptUntil(endedAt, this.settings);
    const data = { sessionId, status, reason, endedAt, transcriptUntil: kept };
    return this.streams.run({ type: 'EndSession', data }, session.contextOf('end'));
  }
}
