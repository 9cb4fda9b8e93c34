import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. */
export const responseErrors = {
  response_not_found: { status: 404, param: 'response_id' },
  /** It is answered in the background. */
  response_unfinished: { status: 409, param: 'response_id' },
  response_not_in_background: { status: 400, param: 'response_id' },
  previous_response_not_found: { status: 400, param: 'previous_response_id' },
  /** It is not answered, or was not answered. */
  previous_response_unfinished: { status: 400, param: 'previous_response_id' },
  conversation_too_long: { status: 400, param: 'previous_response_id' },
} as const;

export type ResponseErrorCode = keyof typeof responseErrors;

export const reject = (code: ResponseErrorCode, detail: string): never => {
  throw new DomainError<ResponseErrorCode>(code, detail);
};

export const notFound = (responseId: string): never =>
  reject('response_not_found', `there is no response ${responseId}`);
