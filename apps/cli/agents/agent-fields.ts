import { type OpenedSession, type ShownSession } from '#areas/agents/agent.queries.js';
import { tokensIn } from '#areas/agents/session/agent-session.state.js';
import { type CommonOptions } from '../invocation.js';

export interface AgentOptions extends CommonOptions {
  readonly id: string;
}

/** The areas on which agent sessions are read and cancelled. */
export const AGENT_AREAS = ['billing', 'catalog', 'inference', 'jobs', 'agents'] as const;

export const statusOf = ({ document }: ShownSession): string =>
  document.end?.status ?? (document.cancellationRequestedAt === null ? 'running' : 'cancelling');

const tokensOf = ({ document }: ShownSession): number =>
  document.steps.reduce((sum, { usage, returned }) => {
    const { promptTokens, completionTokens } = usage;
    return sum + promptTokens + completionTokens + tokensIn(returned?.used ?? []);
  }, 0);

export const fieldsOf = (session: ShownSession): Readonly<Record<string, unknown>> => {
  const { document, goal, finalOutput } = session;
  const { started, steps, end } = document;
  return {
    session_id: started.sessionId,
    account_id: started.accountId,
    goal,
    status: statusOf(session),
    stop_reason: end?.reason ?? null,
    planner_model: started.plannerModel,
    total_steps: steps.length,
    tokens_consumed: tokensOf(session),
    final_output: finalOutput,
    created_at: started.startedAt,
    ended_at: end?.endedAt ?? null,
  };
};

export const stepsOf = ({ steps }: OpenedSession): readonly Readonly<Record<string, unknown>>[] =>
  steps.map(({ step, plan, observation }) => ({
    step: step.step,
    action: step.action,
    tool: step.tool,
    outcome: step.returned?.outcome ?? null,
    code: step.returned?.code ?? null,
    plan,
    observation,
  }));

/** One line for each fact and each step. */
export const textOf = (session: OpenedSession): string => {
  const { started, end } = session.document;
  const lines = session.steps.map(({ step, plan, observation }) => {
    const said = plan === null ? '(no longer kept)' : JSON.stringify(plan);
    const seen = observation === null ? '' : ` -> ${JSON.stringify(observation)}`;
    return `${step.step}. ${said}${seen}`;
  });
  return [
    `Session ${started.sessionId} of account ${started.accountId}: ${statusOf(session)}`,
    `goal: ${session.goal ?? '(no longer kept)'}`,
    `${started.plannerModel}, ${tokensOf(session)} of ${started.tokensMax} tokens`,
    ...lines,
    ...(end ? [`ended ${end.endedAt}: ${end.reason}`] : []),
  ].join('\n  ');
};
