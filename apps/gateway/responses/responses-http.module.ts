import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { InferenceHttpModule } from '../inference/inference-http.module.js';
import { ResponsesController } from './responses.controller.js';
import { ResponsesBackground } from './responses.background.js';
import { ResponsesExchange } from './responses.exchange.js';

@Module({
  imports: [InferenceHttpModule],
  controllers: [ResponsesController],
  providers: [ApiGuard, ResponsesExchange, ResponsesBackground],
})
export class ResponsesHttpModule {}
