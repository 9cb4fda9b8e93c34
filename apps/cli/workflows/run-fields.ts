import { type ListedRun } from '#projections/workflows/workflow-runs.projection.js';

/** In the names of the interface. */
export const runFieldsOf = (run: ListedRun): Readonly<Record<string, unknown>> => ({
  run_id: run.runId,
  workflow_id: run.workflowId,
  version: run.version,
  status: run.status,
  started_at: run.startedAt,
  ended_at: run.endedAt,
  amount_micro_usd: run.amountMicroUsd,
});
