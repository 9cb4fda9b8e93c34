import { AgentSessionQuery } from '#areas/agents/agent.queries.js';
import { agentSessions } from '#projections/agents/agent-sessions.projection.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { AGENT_AREAS, type AgentOptions, fieldsOf, stepsOf, textOf } from './agent-fields.js';

export const showAgent = async ({ id }: AgentOptions, invocation: Invocation): Promise<Outcome> => {
  const needs = {
    areas: AGENT_AREAS,
    installation: 'exists',
    projections: [agentSessions],
  } as const;
  const session = await withQuipu(invocation, needs, ({ queries }) =>
    queries.execute(new AgentSessionQuery(id, 'admin')),
  );
  return { json: { ...fieldsOf(session), steps: stepsOf(session) }, text: textOf(session) };
};
