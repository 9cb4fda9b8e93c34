import { Module } from '@nestjs/common';
import { CreateEmbeddingsHandler } from './create-embeddings.handler.js';
import { EmbeddingAdmission } from './embedding-admission.js';
import { EmbeddingBatchEndpoint } from './embedding-batch.endpoint.js';
import { EmbeddingFunds } from './embedding-funds.js';
import { EmbeddingTool } from './embedding.tool.js';

@Module({
  providers: [
    EmbeddingFunds,
    EmbeddingAdmission,
    CreateEmbeddingsHandler,
    EmbeddingBatchEndpoint,
    EmbeddingTool,
  ],
  exports: [EmbeddingFunds, CreateEmbeddingsHandler, EmbeddingBatchEndpoint, EmbeddingTool],
})
export class EmbeddingsModule {}
