import { Module } from '@nestjs/common';
import { LogEventStreams } from '../sse/log-event-streams.js';
import { JobsController } from './jobs.controller.js';

@Module({ controllers: [JobsController], providers: [LogEventStreams] })
export class JobsHttpModule {}
