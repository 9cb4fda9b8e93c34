import {
  AgentCaptureEvidence,
  AgentHoldEvidence,
  McpCallEvidence,
} from '#events/agents/agent.evidence.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';
import { defineProduct } from '#platform/ledger/product.js';

/** Calls of tools of MCP servers that accounts registered. */
export const MCP_CALLS_METER = 'mcp_calls';
const MCP_CALLS = { [MCP_CALLS_METER]: 'calls of tools of registered MCP servers' };

/** The whole tree of a session: its plans, and the calls of its tools. */
export const agentProduct = defineProduct({
  purpose: 'agent_session',
  group: 'inference',
  callsTools: true,
  title: 'Agent sessions',
  meters: { ...TOKEN_UNITS_IN_WORDS, ...MCP_CALLS },
  holdEvidence: AgentHoldEvidence,
  captureEvidence: AgentCaptureEvidence,
});

/** One call of a tool that is not free, by an MCP client or for a response. */
export const mcpCallProduct = defineProduct({
  purpose: 'mcp_tool_call',
  group: 'inference',
  callsTools: true,
  paced: true,
  title: 'Calls of tools by MCP clients and for responses',
  meters: MCP_CALLS,
  holdEvidence: McpCallEvidence,
  captureEvidence: McpCallEvidence,
});
