import { workflowEvents } from '#events/workflows/workflow.events.js';
import { workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { unsettledWorkflowRuns } from '#projections/workflows/unsettled-runs.projection.js';
import { workflowRuns } from '#projections/workflows/workflow-runs.projection.js';
import { httpTool } from './http/http.tool.js';
import { RunExecution } from './runs/run-execution.js';
import { workflowProduct } from './workflow.product.js';
import { workflowsErrors } from './workflows.errors.js';
import { WorkflowsModule } from './workflows.module.js';
import { httpToolSettings } from './workflows.settings.js';

export const workflowsArea = defineArea({
  name: 'workflows',
  description: 'Graphs of calls to the tools of this gateway, run durably.',
  module: WorkflowsModule,
  events: [...workflowEvents, ...workflowRunEvents],
  projections: [workflowRuns, unsettledWorkflowRuns],
  leaderServices: [RunExecution],
  products: [workflowProduct],
  tools: [httpTool],
  errors: workflowsErrors,
  settings: [httpToolSettings],
});
