import { Module } from '@nestjs/common';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { StoreDefinitionHandler } from './definition/store-definition.handler.js';
import {
  NodeKindsHandler,
  WorkflowHandler,
  WorkflowsHandler,
} from './definition/workflow.queries.js';
import { HttpTool } from './http/http.tool.js';
import { ChangeRunHandler } from './runs/change-run.handler.js';
import { ControlSteps } from './runs/control-steps.js';
import { FirstEstimate } from './runs/first-estimate.js';
import { NodeCalls } from './runs/node-calls.js';
import { NodeInputs } from './runs/node-input.js';
import { RunAccess } from './runs/run-access.js';
import { RunWork } from './runs/run-driver.js';
import { RunExecution } from './runs/run-execution.js';
import { RunFunds } from './runs/run-funds.js';
import { RunHistoryHandler } from './runs/run-history.handler.js';
import { RunSettlement } from './runs/run-settlement.js';
import { RunQueryHandler, RunsQueryHandler } from './runs/run.queries.js';
import { StartRunHandler } from './runs/start-run.handler.js';
import { WorkflowStreams } from './runs/workflow-streams.js';
import { WorkflowBlobs } from './workflow-blobs.js';

@Module({
  providers: [
    JobBlobs,
    WorkflowBlobs,
    WorkflowStreams,
    NodeInputs,
    NodeCalls,
    ControlSteps,
    FirstEstimate,
    RunFunds,
    RunSettlement,
    RunWork,
    RunExecution,
    RunAccess,
    HttpTool,
    StoreDefinitionHandler,
    WorkflowsHandler,
    WorkflowHandler,
    NodeKindsHandler,
    StartRunHandler,
    ChangeRunHandler,
    RunQueryHandler,
    RunsQueryHandler,
    RunHistoryHandler,
  ],
  exports: [RunExecution, HttpTool],
})
export class WorkflowsModule {}
