import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { LogEventStreams } from '../sse/log-event-streams.js';
import { ResumableStreams } from './resumable-streams.js';
import { StreamsController } from './streams.controller.js';

@Module({
  controllers: [StreamsController],
  providers: [ApiGuard, LogEventStreams, ResumableStreams],
  exports: [ResumableStreams],
})
export class StreamsHttpModule {}
