import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { type TaskOutage } from '#platform/tasks/task.error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const swarmErrors = {
  swarm_model_unknown: { status: 404, param: 'model' },
  swarm_field_unsupported: { status: 400 },
  swarm_context_exceeded: { status: 400, param: 'messages' },
  draft_model_missing: { status: 400, param: 'draft_model' },
  draft_model_unknown: { status: 404, param: 'draft_model' },
  draft_model_unsuitable: { status: 400, param: 'draft_model' },
  synthesis_model_unknown: { status: 404, param: 'synthesis_model' },
  member_model_unknown: { status: 404, param: 'member_models' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type SwarmErrorCode = keyof typeof swarmErrors;

export const reject = (code: SwarmErrorCode, detail: string): never => {
  throw new DomainError<SwarmErrorCode>(code, detail);
};

/** Models that did not give an answer together; nothing is charged. */
export class SwarmRunError extends Error {
  override readonly name = 'SwarmRunError';

  constructor(
    /** `busy`: try again soon. `away`: no process can run the pair now. */
    readonly kind: TaskOutage | 'no_proposal',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: SwarmRunError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'swarm_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'swarm_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'swarm_failed', message };
    case 'no_proposal':
      return { status: 502, code: 'consensus_failed', message };
  }
};

export const swarmFailures: readonly FailureMapping[] = [
  mapFailure(
    SwarmRunError,
    describe,
    {
      swarm_busy: { status: 503 },
      swarm_unavailable: { status: 503 },
      swarm_failed: { status: 502 },
      consensus_failed: { status: 502 },
    },
    'known',
  ),
];
