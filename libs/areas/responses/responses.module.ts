import { Module } from '@nestjs/common';
import {
  ExpireResponseHandler,
  ReleaseResponseHandler,
  RetainResponseHandler,
} from './response-content.handler.js';
import { BackgroundResponses } from './background/background-responses.js';
import { EndResponseHandler } from './background/end-response.handler.js';
import { ResponseRunner } from './background/response-runner.js';
import { ResponseBlobs } from './response-blobs.js';
import { ResponseStore } from './response-store.js';
import { ResponseStreams } from './response-streams.js';
import { ResponseBatchEndpoint } from './translation/response-batch.endpoint.js';

@Module({
  providers: [
    ResponseStreams,
    ResponseBlobs,
    ResponseStore,
    ResponseBatchEndpoint,
    ResponseRunner,
    BackgroundResponses,
    EndResponseHandler,
    RetainResponseHandler,
    ReleaseResponseHandler,
    ExpireResponseHandler,
  ],
  exports: [ResponseStore, ResponseBatchEndpoint, ResponseRunner, BackgroundResponses],
})
export class ResponsesModule {}
