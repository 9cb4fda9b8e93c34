import { Module } from '@nestjs/common';
import { JobEventStreams } from './job-event-streams.js';
import { JobsController } from './jobs.controller.js';

@Module({ controllers: [JobsController], providers: [JobEventStreams] })
export class JobsHttpModule {}
