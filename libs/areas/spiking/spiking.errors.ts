import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { type TaskOutage } from '#platform/tasks/task.error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const spikingErrors = {
  snn_model_missing: { status: 501 },
  snn_model_unknown: { status: 404, param: 'model' },
  snn_mode_unknown: { status: 400, param: 'routing_mode' },
  snn_mode_mismatch: { status: 400, param: 'routing_mode' },
  snn_mode_untrained: { status: 501, param: 'routing_mode' },
  snn_neuron_unsupported: { status: 400, param: 'neuron_model' },
  snn_input_invalid: { status: 400, param: 'input_data' },
  snn_not_priced: { status: 501 },
  snn_batch_not_found: { status: 404 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type SpikingErrorCode = keyof typeof spikingErrors;

export const reject = (code: SpikingErrorCode, detail: string): never => {
  throw new DomainError<SpikingErrorCode>(code, detail);
};

/** A run that did not end with an answer; nothing is charged. */
export class SpikingRunError extends Error {
  override readonly name = 'SpikingRunError';

  constructor(
    /** `busy`: try again soon. `away`: no process can run the network now. */
    readonly kind: TaskOutage,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: SpikingRunError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'snn_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'snn_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'snn_failed', message };
  }
};

export const spikingFailures: readonly FailureMapping[] = [
  mapFailure(
    SpikingRunError,
    describe,
    {
      snn_busy: { status: 503 },
      snn_unavailable: { status: 503 },
      snn_failed: { status: 502 },
    },
    'known',
  ),
];
