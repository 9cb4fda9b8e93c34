import { RigError } from './chat-backend.js';

/** A field that a rig cannot honour, as an OpenAI error object that names it. */
export const rejection = (rig: string, param: string, code: string, why: string): RigError => {
  const message = `'${param}' is refused: ${why}`;
  return new RigError('refused', `rig ${rig}: ${message}`, {
    status: 400,
    upstreamError: { message, type: 'invalid_request_error', param, code },
  });
};
