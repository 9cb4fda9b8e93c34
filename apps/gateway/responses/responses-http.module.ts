import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { InferenceHttpModule } from '../inference/inference-http.module.js';
import { VaultsHttpModule } from '../vaults/vaults-http.module.js';
import { FileSearches } from './file-searches.js';
import { ResponseMcpServers } from './mcp-servers.js';
import { ResponsesController } from './responses.controller.js';
import { ResponsesBackground } from './responses.background.js';
import { ResponsesExchange } from './responses.exchange.js';

@Module({
  imports: [InferenceHttpModule, VaultsHttpModule],
  controllers: [ResponsesController],
  providers: [ApiGuard, FileSearches, ResponseMcpServers, ResponsesExchange, ResponsesBackground],
})
export class ResponsesHttpModule {}
