import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { InferenceHttpModule } from '../inference/inference-http.module.js';
import { EmbeddingsController } from './embeddings.controller.js';

@Module({
  // Its metrics: the metrics of embeddings have the same names and another operation.
  imports: [InferenceHttpModule],
  controllers: [EmbeddingsController],
  providers: [ApiGuard],
})
export class EmbeddingsHttpModule {}
