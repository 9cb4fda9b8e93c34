import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { InferenceHttpModule } from '../inference/inference-http.module.js';
import { EmbeddingExchange } from './embedding-exchange.js';
import { EmbeddingsController } from './embeddings.controller.js';
import { ModerationsController } from './moderations.controller.js';
import { RerankController } from './rerank.controller.js';

@Module({
  // Its metrics: the metrics of embeddings have the same names and another operation.
  imports: [InferenceHttpModule],
  controllers: [EmbeddingsController, RerankController, ModerationsController],
  providers: [ApiGuard, EmbeddingExchange],
})
export class EmbeddingsHttpModule {}
