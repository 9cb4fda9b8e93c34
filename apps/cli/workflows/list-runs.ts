import { RunsQuery } from '#areas/workflows/runs/run.queries.js';
import { workflowRuns } from '#projections/workflows/workflow-runs.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';
import { runFieldsOf } from './run-fields.js';
import { WORKFLOW_NEEDS } from './workflow-needs.js';

export interface ListRunsOptions extends CommonOptions {
  readonly user: string;
  readonly after?: string;
  readonly limit: number;
}

export const listRuns = async (
  { user, after, limit }: ListRunsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...WORKFLOW_NEEDS, projections: [workflowRuns] } as const;
  const { runs, nextAfter } = await withQuipu(invocation, needs, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    return queries.execute(new RunsQuery(accountId, limit, after ?? null));
  });
  const rows = runs.map(({ runId, workflowId, version, status, startedAt }) => [
    runId,
    `${workflowId} (${version})`,
    status,
    startedAt,
  ]);
  const header = ['ID', 'WORKFLOW', 'STATUS', 'STARTED'];
  return {
    json: { runs: runs.map(runFieldsOf), next_after: nextAfter },
    text: listText({ noun: 'runs', header, rows, nextAfter }),
  };
};
