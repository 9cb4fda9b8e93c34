import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { type BatchEndpoint } from './batch-endpoint.js';

/** The field for which an endpoint rejects the body of a line; `accepted` where it does not. */
export const rejectedFieldOf = (
  endpoint: Pick<BatchEndpoint, 'accept'>,
  body: unknown,
): string | undefined => {
  try {
    endpoint.accept(body);
  } catch (error) {
    if (error instanceof RejectedRequestError) return error.failure.param;
    throw error;
  }
  return 'accepted';
};
