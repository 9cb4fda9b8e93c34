import { DomainError } from '#platform/kernel/domain-error.js';
import { type ErrorMeaning } from '#platform/runtime/areas/failure.js';

export type QuantizationErrorCode =
  | 'quantization_model_unknown'
  | 'quantization_model_unsuitable'
  | 'quantization_option_invalid'
  | 'quantization_budget_too_small'
  | 'quantization_not_priced'
  | 'quantization_not_found';

export const quantizationErrors: Readonly<Record<QuantizationErrorCode, ErrorMeaning>> = {
  quantization_model_unknown: { status: 404, param: 'model_name' },
  quantization_model_unsuitable: { status: 422, param: 'model_name' },
  quantization_option_invalid: { status: 400 },
  quantization_budget_too_small: { status: 422, param: 'memory_budget_mb' },
  quantization_not_priced: { status: 503 },
  quantization_not_found: { status: 404, param: 'id' },
};

export const reject = (code: QuantizationErrorCode, detail: string): never => {
  throw new DomainError<QuantizationErrorCode>(code, detail);
};
