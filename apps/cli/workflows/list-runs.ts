import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { RunsQuery } from '#areas/workflows/runs/run.queries.js';
import { workflowRuns } from '#projections/workflows/workflow-runs.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { ofUser } from '../user-option.js';
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
    const accountId = await ofUser('--user', user, queries.execute(new AccountOfUserQuery(user)));
    return queries.execute(new RunsQuery(accountId, limit, after ?? null));
  });
  const rows = runs.map(({ runId, workflowId, version, status, startedAt }) => [
    runId,
    `${workflowId} (${version})`,
    status,
    startedAt,
  ]);
  const more = nextAfter === null ? [] : [`There are more: --after ${nextAfter}`];
  const table = inColumns([['ID', 'WORKFLOW', 'STATUS', 'STARTED'], ...rows]);
  return {
    json: { runs: runs.map(runFieldsOf), next_after: nextAfter },
    text: [rows.length === 0 ? 'There are no such runs.' : table, ...more].join('\n'),
  };
};
