import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface AgentSettings {
  /** The absolute path of the file that lists MCP servers; null for none. */
  readonly mcpServersFile: string | null;
  /** Tokens that one answer of a planner may have, where its model allows so many. */
  readonly planTokensMax: number;
  /** For an answer of an MCP server. */
  readonly mcpTimeoutMs: number;
  /** Whether MCP servers of accounts may be on private networks, and without TLS. */
  readonly allowsPrivateMcp: boolean;
  /** How long the transcript of an ended session is kept. */
  readonly transcriptMs: number;
}

export const AGENT_SETTINGS = Symbol('AgentSettings');
export const MCP_PRIVATE_SETTING = 'QUIPU_AGENT_MCP_PRIVATE';

/** When the transcript of a session that ended then is released. */
export const transcriptUntil = (
  endedAt: string,
  { transcriptMs }: Pick<AgentSettings, 'transcriptMs'>,
): string => new Date(Date.parse(endedAt) + transcriptMs).toISOString();

const DAY_MS = 24 * 60 * 60 * 1_000;

export const agentSettings = defineSettings({
  token: AGENT_SETTINGS,
  variables: {
    QUIPU_AGENT_MCP_SERVERS: variable(
      z.string().min(1).optional(),
      'the absolute path of a JSON file that lists the MCP servers whose tools agents may call',
    ),
    QUIPU_AGENT_MCP_PRIVATE: variable(
      z.enum(['deny', 'allow']).default('deny'),
      'whether MCP servers of accounts may be private and use plain HTTP: `deny` or `allow`',
    ),
    QUIPU_AGENT_MCP_TIMEOUT_SECONDS: variable(
      wholeNumber(1, 600).default(60),
      'how long an MCP server may take to answer',
    ),
    QUIPU_AGENT_PLAN_TOKENS: variable(
      wholeNumber(16, 100_000).default(1_024),
      'the most tokens of one answer of the model that plans for an agent',
    ),
    QUIPU_AGENT_TRANSCRIPT_DAYS: variable(
      wholeNumber(1, 3_650).default(30),
      'how many days the transcript of an ended agent session is kept',
    ),
  },
  read: (values): AgentSettings => ({
    mcpServersFile: values.QUIPU_AGENT_MCP_SERVERS ?? null,
    planTokensMax: values.QUIPU_AGENT_PLAN_TOKENS,
    allowsPrivateMcp: values.QUIPU_AGENT_MCP_PRIVATE === 'allow',
    mcpTimeoutMs: values.QUIPU_AGENT_MCP_TIMEOUT_SECONDS * 1_000,
    transcriptMs: values.QUIPU_AGENT_TRANSCRIPT_DAYS * DAY_MS,
  }),
});
