import { AgentSessionsQuery, type ShownSession } from '#areas/agents/agent.queries.js';
import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { agentSessions } from '#projections/agents/agent-sessions.projection.js';
import { agentSessionsOfAccount } from '#projections/agents/sessions-of-account.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { ofUser } from '../user-option.js';
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
  const page = await withQuipu(invocation, needs, async ({ queries }) => {
    const accountId = await ofUser('--user', user, queries.execute(new AccountOfUserQuery(user)));
    return queries.execute(new AgentSessionsQuery(accountId, limit, after ?? null));
  });
  return {
    json: { sessions: page.sessions.map(fieldsOf), next_after: page.nextAfter },
    text: textOf(page.sessions, page.nextAfter),
  };
};

const textOf = (sessions: readonly ShownSession[], nextAfter: string | null): string => {
  const more = nextAfter === null ? [] : [`There are more: --after ${nextAfter}`];
  if (sessions.length === 0) return ['There are no such agent sessions.', ...more].join('\n');
  const header = ['ID', 'STATUS', 'STEPS', 'PLANNER', 'STARTED'];
  const rows = sessions.map((session) => {
    const { started, steps } = session.document;
    const { sessionId, plannerModel, startedAt } = started;
    return [sessionId, statusOf(session), String(steps.length), plannerModel, startedAt];
  });
  return [inColumns([header, ...rows]), ...more].join('\n');
};
