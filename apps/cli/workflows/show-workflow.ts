import { WorkflowQuery } from '#areas/workflows/definition/workflow.queries.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { WORKFLOW_NEEDS } from './workflow-needs.js';

export interface ShowWorkflowOptions extends CommonOptions {
  readonly user: string;
  readonly id: number;
  /** Default: the newest version. */
  readonly at?: number;
}

/** The text is the definition itself, so that it can be changed and given to `version`. */
export const showWorkflow = async (
  { user, id, at }: ShowWorkflowOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { workflow, version, document } = await withQuipu(
    invocation,
    WORKFLOW_NEEDS,
    async ({ queries }) => {
      const accountId = await accountOf({ queries }, user);
      return queries.execute(new WorkflowQuery(accountId, id, at ?? null));
    },
  );
  return {
    json: {
      workflow_id: workflow.workflowId,
      name: workflow.name,
      version: version.version,
      versioned_at: version.versionedAt,
      definition: document,
    },
    text: JSON.stringify(document, null, 2),
  };
};
