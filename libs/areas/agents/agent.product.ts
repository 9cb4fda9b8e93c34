import {
  AgentCaptureEvidence,
  AgentHoldEvidence,
  McpCallEvidence,
} from '#events/agents/agent.evidence.js';
import { TOKEN_UNITS_IN_WORDS } from '#platform/ledger/token-units.js';
import { defineProduct } from '#platform/ledger/product.js';

/** The whole tree of a session: its plans, and the calls of its tools. */
export const agentProduct = defineProduct({
  purpose: 'agent_session',
  group: 'inference',
  callsTools: true,
  title: 'Agent sessions',
  meters: TOKEN_UNITS_IN_WORDS,
  holdEvidence: AgentHoldEvidence,
  captureEvidence: AgentCaptureEvidence,
});

/** One call of a tool that is not free, by an MCP client. */
export const mcpCallProduct = defineProduct({
  purpose: 'mcp_tool_call',
  group: 'inference',
  callsTools: true,
  paced: true,
  title: 'Calls of tools by MCP clients',
  meters: {},
  holdEvidence: McpCallEvidence,
  captureEvidence: McpCallEvidence,
});
