import { type PassedModel } from '#events/inference/chat.evidence.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import {
  rejectedField,
  RejectedRequestError,
} from '#platform/runtime/commands/rejected-request.js';
import { type InferenceErrorCode } from './inference.errors.js';
import { type RigError } from './rigs/chat-backend.js';
import { RouteError } from './rigs/route-error.js';

/** A model is dearer than its caller allows. */
export class PriceAboveMaxError extends RejectedRequestError {
  constructor(param: string, why: string) {
    super(rejectedField(param, why).failure);
  }
}

/** Why the next model is asked after an error; undefined: it would not help, or not be right. */
export const passedReasonOf = (error: unknown): PassedModel['reason'] | undefined => {
  if (error instanceof PriceAboveMaxError) return 'price_above_max';
  if (error instanceof DomainError) {
    return error.code === TOO_LONG ? 'context_too_long' : undefined;
  }
  return error instanceof RouteError ? reasonOfRoute(error) : undefined;
};

const TOO_LONG: InferenceErrorCode = 'context_length_exceeded';

const reasonOfRoute = ({
  kind,
  attempts,
  details,
}: RouteError): PassedModel['reason'] | undefined => {
  switch (kind) {
    case 'model-not-served':
    case 'rig-without-model':
      return 'not_served';
    case 'down':
      return 'down';
    case 'overloaded':
    case 'queue-full':
      return 'overloaded';
    case 'failed':
      return 'failed';
    case 'refused':
      if (isContextTooLong(details.rigError)) return 'context_too_long';
      // Refused before a rig was asked: no rig of the model fits the request.
      return attempts.length === 0 ? 'unsupported' : undefined;
    case 'rig-unknown':
    case 'rig-drained':
    case 'rig-lost':
    case 'cancelled':
      return undefined;
  }
};

/** In the words of OpenAI, vLLM, Anthropic, Gemini and Bedrock. */
const TOO_LONG_TEXT =
  /context (length|window)|(prompt|input) is too long|maximum number of tokens|input token count/i;

const isContextTooLong = (error: RigError | undefined): boolean => {
  const { code, message } = error?.details.upstreamError ?? {};
  return code === TOO_LONG || (typeof message === 'string' && TOO_LONG_TEXT.test(message));
};
