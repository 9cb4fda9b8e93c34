import { Module } from '@nestjs/common';
import {
  ExpireResponseHandler,
  ReleaseResponseHandler,
  RetainResponseHandler,
} from './response-content.handler.js';
import { ResponseStore } from './response-store.js';
import { ResponseBatchEndpoint } from './translation/response-batch.endpoint.js';

@Module({
  providers: [
    ResponseStore,
    ResponseBatchEndpoint,
    RetainResponseHandler,
    ReleaseResponseHandler,
    ExpireResponseHandler,
  ],
  exports: [ResponseStore, ResponseBatchEndpoint],
})
export class ResponsesModule {}
