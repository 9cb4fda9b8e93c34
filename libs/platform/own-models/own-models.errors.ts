import { type ErrorMeaning } from '#platform/runtime/areas/failure.js';
import { type OwnModelErrorCode } from './own-model.decider.js';

/** Declared by the area `training`, which every process with models of accounts has. */
export const ownModelErrors: Readonly<Record<OwnModelErrorCode, ErrorMeaning>> = {
  own_model_not_found: { status: 404, param: 'model' },
  own_model_name_taken: { status: 409, param: 'model' },
  own_model_limit_reached: { status: 409, param: 'model' },
  own_model_too_large: { status: 422, param: 'model' },
};
