import { Module } from '@nestjs/common';
import { CreateEmbeddingsHandler } from './create-embeddings.handler.js';
import { EmbeddingAdmission } from './embedding-admission.js';
import { EmbeddingBatchEndpoint } from './embedding-batch.endpoint.js';
import { EmbeddingFunds } from './embedding-funds.js';
import { ScoreHandler } from './scores/score.handler.js';
import { EmbeddingTool } from './embedding.tool.js';

@Module({
  providers: [
    EmbeddingFunds,
    EmbeddingAdmission,
    CreateEmbeddingsHandler,
    EmbeddingBatchEndpoint,
    EmbeddingTool,
    ScoreHandler,
  ],
  exports: [
    EmbeddingFunds,
    CreateEmbeddingsHandler,
    EmbeddingBatchEndpoint,
    EmbeddingTool,
    ScoreHandler,
  ],
})
export class EmbeddingsModule {}
