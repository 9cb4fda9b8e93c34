import { RigError } from '../../chat-backend.js';

export type RejectionCode = 'unsupported_parameter' | 'unsupported_value' | 'invalid_value';

/** A field that a provider cannot honour, as an OpenAI error object that names it. */
export const rejectedField = (param: string, code: RejectionCode, why: string): RigError => {
  const message = `${param}: ${why}`;
  return new RigError('refused', message, {
    status: 400,
    upstreamError: { message, type: 'invalid_request_error', param, code },
  });
};
