import { doubtsOf } from '#events/token-usage.vocabulary.js';
import {
  type AgentPage,
  type OpenedSession,
  type OpenedStep,
  type ShownSession,
} from '#areas/agents/agent.queries.js';
import { type LoggedAgentEvent } from '#areas/agents/agent-history.handler.js';
import { tokensIn } from '#areas/agents/session/agent-session.state.js';
import { type AgentSessionEvent } from '#events/agents/agent-session.events.js';
import { namedEvent } from '../sse/sse.js';
import {
  type AgentSessionDto,
  type AgentSessionListDto,
  type AgentStepDto,
  type OpenedAgentSessionDto,
  type SessionStatus,
} from './agents.dto.js';

const statusOf = ({ end, cancellationRequestedAt }: ShownSession['document']): SessionStatus => {
  if (end) return end.status;
  return cancellationRequestedAt === null ? 'running' : 'cancelling';
};

const tokensOf = ({ steps }: ShownSession['document']): number =>
  steps.reduce((sum, { usage, returned }) => {
    const { promptTokens, completionTokens } = usage;
    return sum + promptTokens + completionTokens + tokensIn(returned?.used ?? []);
  }, 0);

const toolsOf = ({ steps }: ShownSession['document']): readonly string[] =>
  steps.flatMap(({ tool, returned }) => (tool !== null && returned?.executed ? [tool] : []));

const factsOf = ({ document, goal, finalOutput }: ShownSession) => {
  const { started, steps, end } = document;
  return {
    session_id: started.sessionId,
    goal,
    status: statusOf(document),
    stop_reason: end?.reason ?? null,
    planner_model: started.plannerModel,
    max_steps: started.stepsMax,
    max_token_budget: started.tokensMax,
    total_steps: steps.length,
    tools_executed: toolsOf(document),
    final_output: finalOutput,
    tokens_consumed: tokensOf(document),
    created_at: started.startedAt,
    ended_at: end?.endedAt ?? null,
  };
};

export const presentSession = (session: ShownSession): AgentSessionDto => factsOf(session);

const presentStep = ({ step, plan, observation }: OpenedStep): AgentStepDto => {
  const { usage, returned } = step;
  return {
    step: step.step,
    action: step.action,
    tool: step.tool,
    plan,
    observation,
    outcome: returned?.outcome ?? null,
    code: returned?.code ?? null,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    usage_source: usage.source,
    token_classes: usage.parts ?? {},
    usage_doubts: doubtsOf([{ usageDoubts: usage.doubts }, returned ?? {}]).usageDoubts ?? [],
    counters: returned?.counters ?? {},
  };
};

export const presentOpenedSession = (session: OpenedSession): OpenedAgentSessionDto => ({
  ...factsOf(session),
  steps: session.steps.map(presentStep),
});

export const presentSessions = ({ sessions, nextAfter }: AgentPage): AgentSessionListDto => ({
  success: true,
  sessions: sessions.map(presentSession),
  next_after: nextAfter,
});

/** The name of the event on the stream, and what it states. Transcripts are not on it. */
const shown = ({ type, data }: AgentSessionEvent) => {
  switch (type) {
    case 'AgentSessionStarted': {
      const { plannerModel, tools, stepsMax, tokensMax } = data;
      const limits = { max_steps: stepsMax, max_token_budget: tokensMax };
      return { name: 'started', facts: { planner_model: plannerModel, tools, ...limits } };
    }
    case 'AgentStepPlanned': {
      const { step, action, tool, usage } = data;
      const { promptTokens, completionTokens, source } = usage;
      const tokens = { prompt_tokens: promptTokens, completion_tokens: completionTokens };
      return { name: 'planned', facts: { step, action, tool, ...tokens, usage_source: source } };
    }
    case 'AgentToolCalled':
      return { name: 'called', facts: { step: data.step, tool: data.tool } };
    case 'AgentToolReturned': {
      const { step, tool, executed, outcome, code, used, counters } = data;
      return { name: 'returned', facts: { step, tool, executed, outcome, code, used, counters } };
    }
    case 'AgentSessionEnded':
      return { name: 'ended', facts: { status: data.status, stop_reason: data.reason } };
    case 'AgentTranscriptReleased':
      return { name: 'transcript_released', facts: {} };
  }
};

/** A server-sent event, whose id is the revision. */
export const presentAgentEvent = ({ revision, recordedAt, event }: LoggedAgentEvent): string => {
  const { name, facts } = shown(event);
  const session = { session_id: event.data.sessionId, recorded_at: recordedAt };
  return namedEvent(name, String(revision), { ...session, ...facts });
};
