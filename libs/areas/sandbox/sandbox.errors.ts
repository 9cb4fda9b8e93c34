import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { type TaskOutage } from '#platform/tasks/task.error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const sandboxErrors = {
  wasm_base64_invalid: { status: 400, param: 'wasm_base64' },
  wasm_memory_limit_above_max: { status: 400, param: 'memory_limit_mb' },
  wasm_gas_limit_above_max: { status: 400, param: 'gas_limit' },
  wasm_module_too_large: { status: 413, param: 'wasm_base64' },
  wasm_module_invalid: { status: 422, param: 'wasm_base64' },
  wasm_module_refused: { status: 422, param: 'wasm_base64' },
  wasm_entry_point_missing: { status: 422, param: 'entry_point' },
  wasm_entry_point_unsupported: { status: 422, param: 'entry_point' },
  wasm_arguments_invalid: { status: 422, param: 'args' },
  wasm_not_priced: { status: 501 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type SandboxErrorCode = keyof typeof sandboxErrors;

export const reject = (code: SandboxErrorCode, detail: string): never => {
  throw new DomainError<SandboxErrorCode>(code, detail);
};

/** A module that a thread has read and cannot start: what that cost is charged. */
export class UnstartableError extends DomainError<SandboxErrorCode> {}

/** A module that was not run, for no fault of its own; nothing is charged. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';

  constructor(
    /** `busy`: try again soon. `away`: no process can run a module now. */
    readonly kind: TaskOutage,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: SandboxError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'wasm_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'wasm_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'wasm_failed', message };
  }
};

export const sandboxFailures: readonly FailureMapping[] = [
  mapFailure(
    SandboxError,
    describe,
    {
      wasm_busy: { status: 503 },
      wasm_unavailable: { status: 503 },
      wasm_failed: { status: 502 },
    },
    'known',
  ),
];
