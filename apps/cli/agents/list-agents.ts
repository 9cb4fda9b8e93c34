import { AgentSessionsQuery } from '#areas/agents/agent.queries.js';
import { agentSessions } from '#projections/agents/agent-sessions.projection.js';
import { agentSessionsOfAccount } from '#projections/agents/sessions-of-account.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';
import { AGENT_AREAS, fieldsOf, statusOf } from './agent-fields.js';

export interface ListAgentsOptions extends CommonOptions {
  readonly user: string;
  readonly after?: string;
  readonly limit: number;
}

export const listAgents = async (
  { user, after, limit }: ListAgentsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', ...AGENT_AREAS],
    installation: 'exists',
    projections: [agentSessions, agentSessionsOfAccount],
  } as const;
  const { sessions, nextAfter } = await withQuipu(invocation, needs, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    return queries.execute(new AgentSessionsQuery(accountId, limit, after ?? null));
  });
  const header = ['ID', 'STATUS', 'STEPS', 'PLANNER', 'STARTED'];
  const rows = sessions.map((session) => {
    const { started, steps } = session.document;
    const { sessionId, plannerModel, startedAt } = started;
    return [sessionId, statusOf(session), String(steps.length), plannerModel, startedAt];
  });
  return {
    json: { sessions: sessions.map(fieldsOf), next_after: nextAfter },
    text: listText({ noun: 'agent sessions', header, rows, nextAfter }),
  };
};
