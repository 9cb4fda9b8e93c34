import { WorkflowsQuery } from '#areas/workflows/definition/workflow.queries.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';
import { WORKFLOW_NEEDS } from './workflow-needs.js';

export interface ListWorkflowsOptions extends CommonOptions {
  readonly user: string;
}

export const listWorkflows = async (
  { user }: ListWorkflowsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const workflows = await withQuipu(invocation, WORKFLOW_NEEDS, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    return queries.execute(new WorkflowsQuery(accountId));
  });
  const rows = workflows.map(({ workflowId, name, versions }) => [
    String(workflowId),
    name,
    String(versions.length),
    versions.at(-1)?.versionedAt ?? '',
  ]);
  const header = ['ID', 'NAME', 'VERSION', 'SINCE'];
  return {
    json: {
      workflows: workflows.map(({ workflowId, name, versions }) => ({
        workflow_id: workflowId,
        name,
        version: versions.length,
        versioned_at: versions.at(-1)?.versionedAt ?? null,
      })),
    },
    text: listText({ noun: 'workflows', header, rows }),
  };
};
