import { Module } from '@nestjs/common';
import { keyedHasher } from '#platform/secrets/keyed-hasher.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { CreateEmbeddingsHandler } from './create-embeddings.handler.js';
import { EmbeddingAdmission } from './embedding-admission.js';
import { EmbeddingBatchEndpoint } from './embedding-batch.endpoint.js';
import { EmbeddingFunds } from './embedding-funds.js';
import { EmbeddingTool } from './embedding.tool.js';
import { INPUT_HASHER, type InputHasher } from './ports.js';

const inputHasher = {
  provide: INPUT_HASHER,
  inject: [SECRETS],
  useFactory: (secrets: Secrets): InputHasher => keyedHasher(secrets),
};

@Module({
  providers: [
    inputHasher,
    EmbeddingFunds,
    EmbeddingAdmission,
    CreateEmbeddingsHandler,
    EmbeddingBatchEndpoint,
    EmbeddingTool,
  ],
  exports: [EmbeddingFunds, CreateEmbeddingsHandler, EmbeddingBatchEndpoint, EmbeddingTool],
})
export class EmbeddingsModule {}
