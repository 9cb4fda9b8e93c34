import { Module } from '@nestjs/common';
import { BatchEndpoints } from './batch-endpoints.js';
import {
  CancelBatchJobHandler,
  CloseBatchWindowHandler,
  EndBatchHandler,
  KeepBatchPartsHandler,
} from './batch-life.handlers.js';
import { BatchOutputs } from './batch-outputs.js';
import { BatchParts } from './batch-parts.js';
import { BatchQueryHandler, BatchesQueryHandler } from './batch.queries.js';
import { BatchRecords } from './batch-records.js';
import { BatchRunner } from './batch-runner.js';
import { BatchStreams } from './batch-streams.js';
import { CancelBatchHandler } from './cancel-batch.handler.js';
import { CreateBatchHandler } from './create-batch.handler.js';

@Module({
  providers: [
    BatchEndpoints,
    BatchStreams,
    BatchRecords,
    BatchParts,
    BatchOutputs,
    BatchRunner,
    CreateBatchHandler,
    CancelBatchHandler,
    CloseBatchWindowHandler,
    CancelBatchJobHandler,
    KeepBatchPartsHandler,
    EndBatchHandler,
    BatchQueryHandler,
    BatchesQueryHandler,
  ],
  exports: [BatchRunner, BatchEndpoints],
})
export class BatchesModule {}
