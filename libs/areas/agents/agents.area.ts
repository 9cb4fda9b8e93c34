import { agentSessionEvents } from '#events/agents/agent-session.events.js';
import { mcpServerEvents } from '#events/agents/mcp-server.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { agentSessions } from '#projections/agents/agent-sessions.projection.js';
import { agentSessionsOfAccount } from '#projections/agents/sessions-of-account.projection.js';
import { agentJob } from './agent.job.js';
import { agentProduct, mcpCallProduct } from './agent.product.js';
import { agentsErrors } from './agents.errors.js';
import { AgentsModule } from './agents.module.js';
import { agentSettings } from './agents.settings.js';
import { calculatorTool } from './calculator/calculator.tool.js';
import {
  ChargeAgentSessionCommand,
  EndAgentSessionCommand,
  KeepTranscriptPartCommand,
  ReleaseTranscriptCommand,
} from './session/agent-life.handlers.js';
import { agentLifeSaga } from './session/agent-life.saga.js';

export const agentsArea = defineArea({
  name: 'agents',
  description: 'Agent sessions that reach a goal with tools, and the tools for MCP clients.',
  events: [...agentSessionEvents, ...mcpServerEvents],
  projections: [agentSessions, agentSessionsOfAccount],
  sagas: [
    deploySaga(agentLifeSaga, {
      KeepTranscriptPart: (data) => new KeepTranscriptPartCommand(data),
      EndAgentSession: (data, context) => new EndAgentSessionCommand(data, context),
      ChargeAgentSession: (data, context) => new ChargeAgentSessionCommand(data, context),
      ReleaseAgentTranscript: (data, context) => new ReleaseTranscriptCommand(data, context),
    }),
  ],
  products: [agentProduct, mcpCallProduct],
  jobs: [agentJob],
  tools: [calculatorTool],
  errors: agentsErrors,
  settings: [agentSettings],
  module: AgentsModule,
});
