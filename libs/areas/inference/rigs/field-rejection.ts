import { type JsonObject, RigError } from './chat-backend.js';

const errorOf = (param: string, code: string, why: string): JsonObject => ({
  message: `'${param}' is refused: ${why}`,
  type: 'invalid_request_error',
  param,
  code,
});

/** A field that a rig cannot honour, as an OpenAI error object that names it. */
export const rejection = (rig: string, param: string, code: string, why: string): RigError => {
  const upstreamError = errorOf(param, code, why);
  const message = `rig ${rig}: ${String(upstreamError['message'])}`;
  return new RigError('refused', message, { status: 400, upstreamError });
};

export type RejectionCode = 'unsupported_parameter' | 'unsupported_value' | 'invalid_value';

/** A field that a kind of provider cannot honour, on whichever rig. */
export const rejectedField = (param: string, code: RejectionCode, why: string): RigError => {
  const upstreamError = errorOf(param, code, why);
  return new RigError('refused', String(upstreamError['message']), { status: 400, upstreamError });
};
