import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. */
export const adapterErrors = {
  adapter_not_found: { status: 404, param: 'adapter_id' },
  adapter_base_mismatch: { status: 400, param: 'base_model' },
  adapter_base_unknown: { status: 404, param: 'base_model' },
  adapter_base_unsuitable: { status: 422, param: 'base_model' },
  adapter_form_invalid: { status: 400 },
  adapter_config_invalid: { status: 422, param: 'adapter_config.json' },
  adapter_weights_invalid: { status: 422, param: 'adapter_model.safetensors' },
  adapter_too_large: { status: 413, param: 'adapter_model.safetensors' },
  adapter_slug_taken: { status: 409, param: 'slug' },
  adapter_limit_reached: { status: 409 },
} as const;

export type AdapterErrorCode = keyof typeof adapterErrors;

export const reject = (code: AdapterErrorCode, detail: string): never => {
  throw new DomainError<AdapterErrorCode>(code, detail);
};

export const notFound = (adapterId: string): never =>
  reject('adapter_not_found', `there is no adapter ${adapterId}; see GET /api/v1/adapters/vault`);
