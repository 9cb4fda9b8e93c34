import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const meshErrors = {
  mesh_task_not_found: { status: 404, param: 'id' },
  mesh_cursor_invalid: { status: 400, param: 'after' },
  mesh_task_completed: { status: 409 },
  mesh_lease_held: { status: 409, param: 'fencing_token' },
  mesh_lease_expired: { status: 409, param: 'fencing_token' },
  mesh_lease_released: { status: 409, param: 'fencing_token' },
  mesh_token_stale: { status: 409, param: 'fencing_token' },
  mesh_not_holder: { status: 409, param: 'agent' },
  mesh_handoffs_exhausted: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type MeshErrorCode = keyof typeof meshErrors;

export const reject = (
  code: MeshErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<MeshErrorCode>(code, detail, metadata);
};
