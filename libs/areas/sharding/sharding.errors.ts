import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { type TaskOutage } from '#platform/tasks/task.error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const shardingErrors = {
  pipeline_model_unknown: { status: 404, param: 'model' },
  pipeline_model_unsupported: { status: 400, param: 'model' },
  pipeline_prompt_too_long: { status: 400, param: 'messages' },
  pipeline_max_tokens_above_context: { status: 400, param: 'max_tokens' },
  pipeline_field_unsupported: { status: 400 },
  pipeline_transport_unavailable: { status: 501, param: 'transport' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type ShardingErrorCode = keyof typeof shardingErrors;

export const reject = (code: ShardingErrorCode, detail: string): never => {
  throw new DomainError<ShardingErrorCode>(code, detail);
};

/** An answer that did not come to its end, for no fault of its request; nothing is charged. */
export class PipelineError extends Error {
  override readonly name = 'PipelineError';

  constructor(
    /** `busy`: try again soon. `away`: no process can run a pipeline. `lost`: a stage ended. */
    readonly kind: TaskOutage | 'lost',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: PipelineError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 429, code: 'pipeline_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'pipeline_unavailable', message, retryAfterSeconds: 5 };
    case 'lost':
      return { status: 502, code: 'pipeline_stage_lost', message };
    case 'failed':
      return { status: 502, code: 'pipeline_failed', message };
  }
};

export const shardingFailures: readonly FailureMapping[] = [
  mapFailure(
    PipelineError,
    describe,
    {
      pipeline_busy: { status: 429 },
      pipeline_unavailable: { status: 503 },
      pipeline_stage_lost: { status: 502 },
      pipeline_failed: { status: 502 },
    },
    'known',
  ),
];
