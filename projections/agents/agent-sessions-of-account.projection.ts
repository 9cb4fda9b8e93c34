import { AgentSessionStarted } from '#events/agents/agent-session.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface AgentSessionOfAccount {
  readonly sessionId: string;
}

/** Keys of one account start with this. */
export const agentSessionsPrefix = (accountId: string): string => `${accountId}/`;

/** In the order of their starts. */
export const agentSessionOfAccountKey = (
  accountId: string,
  startedAt: string,
  sessionId: string,
): string => `${agentSessionsPrefix(accountId)}${startedAt}/${sessionId}`;

/** Which agent sessions does an account have? */
export const agentSessionsOfAccount: Projection<AgentSessionStarted, AgentSessionOfAccount> = {
  name: 'agent-sessions-of-account',
  version: 1,
  on: { AgentSessionStarted },
  keys: ({ data }) => [agentSessionOfAccountKey(data.accountId, data.startedAt, data.sessionId)],
  initial: () => ({ sessionId: '' }),
  project: ({ data }) => ({ sessionId: data.sessionId }),
};
