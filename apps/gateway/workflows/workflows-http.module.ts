import { Module } from '@nestjs/common';
import { LogEventStreams } from '../sse/log-event-streams.js';
import { RunEnds } from './run-ends.js';
import { WorkflowRunsController } from './workflow-runs.controller.js';
import { WorkflowsController } from './workflows.controller.js';

@Module({
  controllers: [WorkflowRunsController, WorkflowsController],
  providers: [LogEventStreams, RunEnds],
})
export class WorkflowsHttpModule {}
