import { Module } from '@nestjs/common';
import { JobEventsController } from './job-events.controller.js';
import { LogEventStreams } from '../sse/log-event-streams.js';
import { JobsController } from './jobs.controller.js';

@Module({ controllers: [JobsController, JobEventsController], providers: [LogEventStreams] })
export class JobsHttpModule {}
