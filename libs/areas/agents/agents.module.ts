import { Module } from '@nestjs/common';
import { AgentHistoryHandler } from './agent-history.handler.js';
import { AgentSessionQueryHandler, AgentSessionsQueryHandler } from './agent.queries.js';
import { AgentTools } from './agent-tools.js';
import { Calculator } from './calculator/calculator.tool.js';
import { CancelAgentHandler } from './cancel-agent.handler.js';
import { McpServers } from './mcp/mcp-servers.js';
import { ToolCalls } from './mcp/tool-calls.js';
import { OrchestrateAgentHandler } from './orchestrate-agent.handler.js';
import { BoundedFetch } from './registered-servers/bounded-fetch.js';
import {
  AllowToolHandler,
  ApproveToolHandler,
  RefreshServerHandler,
  RemoveServerHandler,
} from './registered-servers/change-server.handlers.js';
import { RegisterServerHandler } from './registered-servers/register-server.handler.js';
import { RegisteredServersHandler } from './registered-servers/servers.query.js';
import { RegisteredTools } from './registered-servers/registered-tools.js';
import { ServerLists } from './registered-servers/server-lists.js';
import { ServerSecrets } from './registered-servers/server-secrets.js';
import { ServerSessions } from './registered-servers/server-sessions.js';
import { ServerStreams } from './registered-servers/server-streams.js';
import { AgentAccess } from './session/agent-access.js';
import {
  ChargeAgentSessionHandler,
  EndAgentSessionHandler,
  KeepTranscriptPartHandler,
  ReleaseTranscriptHandler,
} from './session/agent-life.handlers.js';
import { AgentRunner } from './session/agent-runner.js';
import { AgentStreams } from './session/agent-streams.js';
import { SessionMemory } from './session/session-memory.js';
import { SessionMoney } from './session/session-money.js';
import { SessionWork } from './session/session-work.js';
import { StepPlanner } from './session/step-planner.js';
import { ToolCaller } from './session/tool-caller.js';
import { Transcripts } from './session/transcript.js';

@Module({
  providers: [
    AgentStreams,
    AgentAccess,
    AgentTools,
    McpServers,
    BoundedFetch,
    ServerStreams,
    ServerSecrets,
    ServerSessions,
    ServerLists,
    RegisteredTools,
    RegisterServerHandler,
    RemoveServerHandler,
    RefreshServerHandler,
    AllowToolHandler,
    ApproveToolHandler,
    RegisteredServersHandler,
    ToolCalls,
    Calculator,
    Transcripts,
    SessionMemory,
    SessionMoney,
    StepPlanner,
    ToolCaller,
    SessionWork,
    AgentRunner,
    OrchestrateAgentHandler,
    CancelAgentHandler,
    KeepTranscriptPartHandler,
    EndAgentSessionHandler,
    ChargeAgentSessionHandler,
    ReleaseTranscriptHandler,
    AgentSessionQueryHandler,
    AgentSessionsQueryHandler,
    AgentHistoryHandler,
  ],
  exports: [AgentRunner, Calculator, RegisteredTools, ToolCalls],
})
export class AgentsModule {}
