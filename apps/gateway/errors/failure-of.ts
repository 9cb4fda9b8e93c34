import { HttpException } from '@nestjs/common';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { AnswerStoreError } from '#platform/idempotency/answer-store.errors.js';
import { UnreadableEventError } from '#events/definition.js';
import {
  CutStreamError,
  DamagedEventError,
  EventStoreError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { ContentionError } from '#platform/runtime/commands/command-runner.js';
import { ForeignLogError, LOG_FOREIGN } from '#platform/runtime/log-standing/log-epoch.js';
import {
  describedBy,
  errorType,
  type FailureDescription,
  type Meanings,
} from '#platform/runtime/areas/failure.js';
import { AsOfError } from '#platform/runtime/history/as-of.js';
import { HistoryMissingError } from '#platform/runtime/history/past-documents.js';
import { PlaceUnknownError } from '#platform/runtime/history/log-places.js';
import { ProjectionLaggingError } from '#platform/runtime/projections/projections.js';
import { SubjectKeysUnavailableError } from '#platform/secrets/subject-keys.js';
import { type Failure } from './envelope.js';
import { messageOf } from '#platform/kernel/faults.js';
import { isRejected } from './http-failure.js';

/** A failure with every absent field filled in. */
export const failure = ({
  status,
  code,
  message,
  param,
  type,
  retryAfterSeconds,
  metadata,
  rig,
}: FailureDescription): Failure => ({
  status,
  code,
  message,
  param: param ?? null,
  type: type ?? errorType(status),
  retryAfterSeconds: retryAfterSeconds ?? null,
  metadata: metadata ?? null,
  rig: rig ?? null,
});

const INTERNAL = failure({
  status: 500,
  code: 'internal_error',
  message: 'internal error; the operator finds the cause by the request id',
});

/** Converts any thrown value to a failure. The failure of a defect has no detail. */
export const failureOf = (error: unknown, meanings: Meanings): Failure => {
  if (isRejected(error)) return failure(error.failure);
  const described = describedBy(error, meanings);
  if (described) return failure(described);
  if (error instanceof DomainError) return INTERNAL;
  if (error instanceof HttpException) return nestFailure(error);
  if (error instanceof AsOfError) {
    return failure({ status: 400, code: 'invalid_as_of', message: error.message, param: 'asOf' });
  }
  if (error instanceof HistoryMissingError) {
    return failure({ status: 503, code: 'history_missing', message: error.message });
  }
  if (error instanceof ContentionError) {
    const message = 'other requests change the account at the same time; try again';
    return failure({ status: 503, code: 'contention', message, retryAfterSeconds: 1 });
  }
  if (error instanceof ForeignLogError) {
    return failure({ status: 503, code: 'log_foreign', message: LOG_FOREIGN });
  }
  if (error instanceof UnreadableEventError || error instanceof DamagedEventError) {
    const message = 'a stored event that this request needs cannot be read; nothing was charged';
    return failure({ status: 503, code: 'event_unreadable', message });
  }
  if (error instanceof CutStreamError) {
    const message = 'the log lacks events that this request needs; nothing was charged';
    return failure({ status: 503, code: 'cut_stream', message });
  }
  if (error instanceof EventStoreError) return storeFailure(error);
  if (error instanceof ProjectionLaggingError || error instanceof PlaceUnknownError) {
    const message = 'the read model is not up to date yet; try again';
    return failure({ status: 503, code: 'read_model_lagging', message, retryAfterSeconds: 1 });
  }
  if (isStoreUnavailable(error)) {
    const message = 'a store of this service does not answer; try again';
    return failure({ status: 503, code: 'store_unavailable', message, retryAfterSeconds: 5 });
  }
  if (error instanceof BlobError && LOST.includes(error.code)) {
    const message =
      'stored content that this request needs is lost; the operator has to restore it';
    return failure({ status: 503, code: 'content_lost', message });
  }
  if (error instanceof ReadStoreError && error.code === 'foreign-log') {
    const message = 'the read models were made of another log; the operator has to delete them';
    return failure({ status: 503, code: 'read_model_foreign', message });
  }
  return fastifyFailure(error) ?? INTERNAL;
};

const LOST: readonly string[] = ['blob-not-found', 'blob-damaged'];

/** Covers read models, stored answers, blobs and subject keys. */
const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof SubjectKeysUnavailableError ||
  (error instanceof BlobError && error.code === 'blobs-unavailable') ||
  ((error instanceof ReadStoreError || error instanceof AnswerStoreError) &&
    error.code === 'store-unavailable');

/** The outcome of an append is unknown only after an `UnknownOutcomeError`. */
const storeFailure = (error: EventStoreError): Failure => {
  const code = error.code.replaceAll('-', '_');
  const message =
    error instanceof UnknownOutcomeError
      ? 'the event store did not confirm the request; check the balance for a charge'
      : 'the event store cannot accept the request; nothing was charged';
  return failure({ status: 503, code, message, retryAfterSeconds: 5 });
};

const NEST_CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** Errors of Nest: unknown routes and invalid DTOs. */
const nestFailure = (error: HttpException): Failure => {
  const status = error.getStatus();
  const answer = error.getResponse();
  const messages =
    typeof answer === 'object' && 'message' in answer ? answer.message : error.message;
  const message = Array.isArray(messages) ? messageOf(messages) : String(messages);
  const code = NEST_CODES[status] ?? 'http_error';
  return failure({ status, code, message });
};

const FASTIFY: Readonly<Record<string, { readonly status: number; readonly code: string }>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, code: 'invalid_json' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, code: 'invalid_json' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, code: 'invalid_content_length' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, code: 'body_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, code: 'unsupported_media_type' },
  FST_ERR_BAD_URL: { status: 400, code: 'bad_url' },
};

/** Errors of Fastify before the controller. */
const fastifyFailure = (error: unknown): Failure | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? FASTIFY[code] : undefined;
  if (known) return failure({ ...known, message: error.message });
  // Parse errors of the JSON parser without a code have only a status.
  const isClientError = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  if (!isClientError) return undefined;
  const name = error instanceof SyntaxError ? 'invalid_json' : 'invalid_request';
  return failure({ status: statusCode, code: name, message: error.message });
};
