import { Module } from '@nestjs/common';
import { AgentEventsController } from './agent-events.controller.js';
import { LogEventStreams } from '../sse/log-event-streams.js';
import { StreamEnds } from '../sse/stream-ends.js';
import { AgentsController } from './agents.controller.js';
import { McpController } from './mcp.controller.js';
import { McpExchange } from './mcp-exchange.js';
import { McpServersController } from './mcp-servers.controller.js';

@Module({
  controllers: [AgentsController, AgentEventsController, McpController, McpServersController],
  providers: [LogEventStreams, StreamEnds, McpExchange],
})
export class AgentsHttpModule {}
