import { Module } from '@nestjs/common';
import {
  ExpireResponseHandler,
  ReleaseResponseHandler,
  RetainResponseHandler,
} from './response-content.handler.js';
import { ResponseStore } from './response-store.js';

@Module({
  providers: [ResponseStore, RetainResponseHandler, ReleaseResponseHandler, ExpireResponseHandler],
  exports: [ResponseStore],
})
export class ResponsesModule {}
