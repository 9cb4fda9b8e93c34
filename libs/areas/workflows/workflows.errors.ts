import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const workflowsErrors = {
  workflow_not_found: { status: 404, param: 'workflow_id' },
  workflow_version_not_found: { status: 404, param: 'version' },
  workflow_name_taken: { status: 409, param: 'name' },
  too_many_workflows: { status: 409 },
  too_many_workflow_versions: { status: 409 },
  workflow_invalid: { status: 422 },
  workflow_inputs_invalid: { status: 422, param: 'inputs' },
  workflow_definition_gone: { status: 410 },
  too_many_workflow_runs: { status: 429 },
  workflow_run_not_found: { status: 404, param: 'id' },
  workflow_run_ended: { status: 409 },
  workflow_approval_not_found: { status: 404, param: 'node' },
  workflow_approval_decided: { status: 409 },
  workflow_event_unknown: { status: 400, param: 'Last-Event-ID' },
  too_many_workflow_streams: { status: 429 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type WorkflowsErrorCode = keyof typeof workflowsErrors;

/** @param field the field at fault, where the code does not say it */
export const reject = (
  code: WorkflowsErrorCode,
  detail: string,
  field?: string,
  more: Readonly<Record<string, string>> = {},
): never => {
  const metadata = field === undefined ? undefined : { field, ...more };
  throw new DomainError<WorkflowsErrorCode>(code, detail, metadata);
};
