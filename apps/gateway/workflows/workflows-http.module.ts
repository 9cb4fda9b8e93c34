import { Module } from '@nestjs/common';
import { RunEventsController } from './run-events.controller.js';
import { LogEventStreams } from '../sse/log-event-streams.js';
import { StreamEnds } from '../sse/stream-ends.js';
import { WorkflowRunsController } from './workflow-runs.controller.js';
import { WorkflowsController } from './workflows.controller.js';

@Module({
  controllers: [WorkflowRunsController, RunEventsController, WorkflowsController],
  providers: [LogEventStreams, StreamEnds],
})
export class WorkflowsHttpModule {}
