import { AgentSessionQuery } from '#areas/agents/agent.queries.js';
import { CancelAgentCommand } from '#areas/agents/cancel-agent.handler.js';
import { agentSessions } from '#projections/agents/agent-sessions.projection.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { AGENT_AREAS, type AgentOptions, fieldsOf, textOf } from './agent-fields.js';

export const cancelAgent = async (
  { id }: AgentOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: AGENT_AREAS,
    installation: 'exists',
    projections: [agentSessions],
  } as const;
  const session = await withQuipu(invocation, needs, async ({ commands, queries, context }) => {
    await commands.execute(new CancelAgentCommand(id, 'admin', context()));
    return queries.execute(new AgentSessionQuery(id, 'admin'));
  });
  return { json: fieldsOf(session), text: textOf(session) };
};
