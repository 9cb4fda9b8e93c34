import { z } from 'zod';
import { AGENT_STEPS_MAX, AgentEnd, ToolName } from './agent-session.events.js';

/** The evidence of agents and MCP clients in the events of their holds. */

const ofSession = {
  plannerModel: z.string().min(1).max(256),
  stepsMax: z.int().min(1).max(AGENT_STEPS_MAX),
  tokensMax: z.int().positive(),
};

export const AgentHoldEvidence = z.strictObject(ofSession);
export type AgentHoldEvidence = z.infer<typeof AgentHoldEvidence>;

export const AgentCaptureEvidence = z.strictObject({
  ...ofSession,
  sessionId: z.uuid(),
  status: AgentEnd,
  steps: z.int().nonnegative(),
  /** Of the planner and of tools that count tokens. */
  tokens: z.int().nonnegative(),
});
export type AgentCaptureEvidence = z.infer<typeof AgentCaptureEvidence>;

/** One call of a tool by an MCP client, or for a response. */
export const McpCallEvidence = z.strictObject({ tool: ToolName });
export type McpCallEvidence = z.infer<typeof McpCallEvidence>;
