import { DomainError } from '#platform/kernel/domain-error.js';
import { type FailureMapping, mapFailure } from '#platform/runtime/areas/failure.js';

/** Every domain error of the area and the HTTP status it becomes. */
export const postcardErrors = {
  postcard_too_long: { status: 422, param: 'greeting' },
  postcard_not_found: { status: 404 },
} as const;

export type PostcardErrorCode = keyof typeof postcardErrors;

export const reject = (code: PostcardErrorCode, detail: string): never => {
  throw new DomainError<PostcardErrorCode>(code, detail);
};

/** The post office takes no postcards now. */
export class PostOfficeClosedError extends Error {
  override readonly name = 'PostOfficeClosedError';
}

export const postcardFailures: readonly FailureMapping[] = [
  mapFailure(PostOfficeClosedError, ({ message }) => ({
    status: 503,
    code: 'post_office_closed',
    message,
    retryAfterSeconds: 60,
  })),
];
