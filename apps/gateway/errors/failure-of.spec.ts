import { BadRequestException, NotFoundException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { AnswerStoreError } from '#platform/idempotency/answer-store.errors.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { RigError, type RigErrorKind } from '#areas/inference/rigs/chat-backend.js';
import { RouteError, type RouteErrorKind } from '#areas/inference/rigs/route-error.js';
import { UnreadableEventError } from '#events/definition.js';
import {
  AppendTooLargeError,
  DamagedEventError,
  InvalidAppendError,
  StaleRevisionError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { ContentionError } from '#platform/runtime/commands/command-runner.js';
import { AsOfError } from '#platform/runtime/history/as-of.js';
import { HistoryMissingError } from '#platform/runtime/history/past-documents.js';
import { ProjectionLaggingError } from '#platform/runtime/projections/projections.js';
import { SubjectKeysUnavailableError } from '#platform/secrets/subject-keys.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { areas } from '../../composition/areas.js';
import { failureOf as failureWith } from './failure-of.js';
import { HttpFailure } from './http-failure.js';

const errors = new Areas(areas).errors();
const failures = areas.flatMap((area) => area.failures);
const failureOf = (error: unknown) => failureWith(error, { errors, failures });

const internal = { status: 500, code: 'internal_error', type: 'server_error' };
const attempts = [
  { rig: 'a', startedMs: 0, endedMs: 9, outcome: 'unreachable' },
  { rig: 'b', startedMs: 9, endedMs: 12, outcome: 'failed', status: 500 },
] as const;
const tried = {
  attempts: [
    { rig: 'a', outcome: 'unreachable' },
    { rig: 'b', outcome: 'failed' },
  ],
};

describe('a domain error', () => {
  it.each(Object.entries(errors).filter(([, { status }]) => status < 500))(
    '%s has its declared status',
    (code, { status, param = null }) => {
      expect(failureOf(new DomainError(code, 'because'))).toMatchObject({
        status,
        code,
        param,
        message: 'because',
      });
    },
  );

  it('of a missing engine has status 501', () => {
    const error = new DomainError('routing_mode_unavailable', 'because');
    expect(failureOf(error)).toMatchObject({
      status: 501,
      code: 'routing_mode_unavailable',
      param: 'routing_mode',
      message: 'because',
    });
  });

  it('carries its metadata', () => {
    const metadata = { reason: 'in_flight' };
    expect(failureOf(new DomainError('insufficient_balance', 'because', metadata))).toMatchObject({
      status: 402,
      type: 'insufficient_quota',
      metadata,
    });
  });

  it('says when to try again where its metadata does', () => {
    const error = new DomainError('too_many_wrong_codes', 'because', { retry_after_seconds: 60 });
    expect(failureOf(error)).toMatchObject({ status: 429, retryAfterSeconds: 60 });
    const without = new DomainError('too_many_api_keys', 'because', { reason: 'full' });
    expect(failureOf(without)).toMatchObject({ status: 409, retryAfterSeconds: null });
  });

  it.each(['capture_above_hold', 'undeclared_code'])(
    'that is a defect hides its detail: %s',
    (code) => {
      const failure = failureOf(new DomainError(code, 'a secret'));
      expect(failure).toMatchObject(internal);
      expect(failure.message).not.toContain('secret');
    },
  );
});

describe('a route error', () => {
  const route: Record<RouteErrorKind, object> = {
    'model-not-served': { status: 404, code: 'model_not_found', param: 'model' },
    'rig-unknown': { status: 404, code: 'rig_not_found', param: 'routing_mode' },
    'rig-without-model': { status: 400, code: 'rig_without_model', param: 'routing_mode' },
    'rig-drained': { status: 503, code: 'rig_drained', param: 'routing_mode' },
    'rig-lost': { status: 503, code: 'rig_lost', param: 'routing_mode' },
    'queue-full': { status: 429, code: 'queue_full', retryAfterSeconds: 1, metadata: tried },
    overloaded: { status: 503, code: 'overloaded', retryAfterSeconds: 1, metadata: tried },
    down: { status: 503, code: 'rigs_down', retryAfterSeconds: null, metadata: tried },
    failed: { status: 502, code: 'upstream_failed', metadata: tried },
    refused: { status: 502, code: 'upstream_failed', metadata: tried },
    cancelled: { status: 499, code: 'client_gone' },
  };

  it.each(Object.entries(route))('%s', (kind, expected) => {
    const error = new RouteError(kind as RouteErrorKind, 'because', attempts);
    expect(failureOf(error)).toMatchObject({ message: 'because', ...expected });
  });

  it.each(['overloaded', 'down'] as const)('has a retry-after time: %s', (kind) => {
    const error = new RouteError(kind, 'because', [], { retryAfterMs: 2_001 });
    expect(failureOf(error)).toMatchObject({ retryAfterSeconds: 3 });
  });

  it('reports the error of the last rig, and the rigs that were asked', () => {
    const rigError = new RigError('timed-out', 'rig b sent nothing');
    expect(failureOf(new RouteError('failed', 'because', attempts, { rigError }))).toMatchObject({
      status: 504,
      code: 'upstream_timed_out',
      message: 'rig b sent nothing',
      metadata: tried,
    });
  });
});

describe('a rig error', () => {
  const rig: Record<RigErrorKind, object> = {
    unreachable: { status: 502, code: 'upstream_unreachable' },
    'timed-out': { status: 504, code: 'upstream_timed_out' },
    overloaded: { status: 503, code: 'overloaded' },
    failed: { status: 502, code: 'upstream_failed' },
    refused: { status: 400, code: 'upstream_refused', type: 'invalid_request_error' },
    malformed: { status: 502, code: 'upstream_malformed' },
    'broken-off': { status: 502, code: 'upstream_broke_off' },
    cancelled: { status: 499, code: 'client_gone' },
  };

  it.each(Object.entries(rig))('%s', (kind, expected) => {
    const error = new RigError(kind as RigErrorKind, 'because');
    expect(failureOf(error)).toMatchObject({ message: 'because', ...expected });
  });

  it('keeps the error of an upstream that rejects a request', () => {
    const upstreamError = {
      message: 'max_tokens is too large',
      type: 'invalid_request_error',
      param: 'max_tokens',
      code: 'context_length_exceeded',
    };
    const error = new RigError('refused', 'because', { status: 422, upstreamError });
    expect(failureOf(error)).toMatchObject({ status: 422, ...upstreamError });
  });

  it('drops an upstream error of unknown shape', () => {
    const upstreamError = { message: '', type: 7, param: null, code: 400 };
    const error = new RigError('refused', 'because', { status: 400, upstreamError });
    expect(failureOf(error)).toMatchObject({
      status: 400,
      code: 'upstream_refused',
      message: 'because',
      param: null,
    });
  });

  it.each([401, 403, 407])('does not blame the caller for a %d of the upstream', (status) => {
    expect(failureOf(new RigError('failed', 'because', { status }))).toMatchObject({
      status: 502,
      code: 'upstream_rejected_gateway',
    });
  });
});

describe('a cut request', () => {
  it.each([
    ['client_gone', { status: 499, code: 'client_gone' }],
    ['timed_out', { status: 504, code: 'request_timed_out' }],
    ['shut_down', { status: 503, code: 'draining', retryAfterSeconds: 5 }],
  ] as const)('%s', (reason, expected) => {
    expect(failureOf(new RequestCutError(reason))).toMatchObject(expected);
  });
});

describe('a failure of the platform', () => {
  it.each([
    new AppendTooLargeError('no'),
    new InvalidAppendError('no'),
    new StoreUnavailableError('no'),
    new StaleRevisionError('account-7', 1n, 2n),
  ])('$name: nothing was charged', (error) => {
    expect(failureOf(error)).toMatchObject({
      status: 503,
      code: error.code.replaceAll('-', '_'),
      retryAfterSeconds: 5,
      message: expect.stringContaining('nothing was charged'),
    });
  });

  it('makes no promise about the charge when the outcome is unknown', () => {
    const failure = failureOf(new UnknownOutcomeError('no'));
    expect(failure).toMatchObject({ status: 503, code: 'unknown_outcome' });
    expect(failure.message).not.toContain('nothing was charged');
  });

  it.each([
    new ReadStoreError('store-unavailable', 'on 10.0.0.7'),
    new AnswerStoreError('store-unavailable', 'on 10.0.0.7'),
    new SubjectKeysUnavailableError('on 10.0.0.7'),
  ])('$name: asks for a retry and hides the address of the store', (error) => {
    const failure = failureOf(error);
    expect(failure).toMatchObject({ status: 503, code: 'store_unavailable', retryAfterSeconds: 5 });
    expect(failure.message).not.toContain('10.0.0.7');
  });

  it.each([
    new ReadStoreError('invalid-key', 'no'),
    new AnswerStoreError('answer-unreadable', 'no'),
  ])('is a defect if a retry cannot help: $message', (error) => {
    expect(failureOf(error)).toMatchObject(internal);
  });

  it('asks for a retry', () => {
    expect(failureOf(new ContentionError())).toMatchObject({
      status: 503,
      code: 'contention',
      retryAfterSeconds: 1,
    });
    expect(failureOf(new ProjectionLaggingError())).toMatchObject({
      status: 503,
      code: 'read_model_lagging',
      retryAfterSeconds: 1,
    });
  });
});

describe('a state that the log does not have', () => {
  it('is a fault of the field asOf', () => {
    expect(failureOf(new AsOfError('the log ends at position 7'))).toMatchObject({
      status: 400,
      code: 'invalid_as_of',
      message: 'the log ends at position 7',
      param: 'asOf',
    });
  });

  it('cannot be read until a projection without a history is rebuilt', () => {
    const error = new HistoryMissingError('invoices keeps no history until it is rebuilt');
    expect(failureOf(error)).toMatchObject({ status: 503, code: 'history_missing' });
  });
});

describe('a failure at the edge', () => {
  it('keeps the fields of an HttpFailure', () => {
    const failure = {
      status: 429,
      code: 'too_many_attempts',
      message: 'wait',
      param: 'username',
      retryAfterSeconds: 300,
      metadata: { a: 1 },
      rig: 'a',
    };
    expect(failureOf(new HttpFailure(failure))).toEqual({ ...failure, type: 'rate_limit_error' });
    expect(failureOf(new HttpFailure({ ...failure, type: 'own' }))).toMatchObject({ type: 'own' });
  });

  it.each([
    [new NotFoundException('Cannot GET /x'), 404, 'not_found', 'Cannot GET /x'],
    [
      new BadRequestException(['a is bad', 'b is bad']),
      400,
      'invalid_request',
      'a is bad; b is bad',
    ],
    [new BadRequestException(), 400, 'invalid_request', 'Bad Request'],
  ])('Nest: %s', (error, status, code, message) => {
    expect(failureOf(error)).toMatchObject({ status, code, message });
  });

  const fastify = (code: string, statusCode: number): Error =>
    Object.assign(new Error('because'), { code, statusCode });

  it.each([
    ['FST_ERR_CTP_INVALID_JSON_BODY', 400, 'invalid_json'],
    ['FST_ERR_CTP_EMPTY_JSON_BODY', 400, 'invalid_json'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400, 'invalid_content_length'],
    ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'body_too_large'],
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'unsupported_media_type'],
    ['FST_ERR_BAD_URL', 400, 'bad_url'],
    ['FST_ERR_OF_TOMORROW', 422, 'invalid_request'],
  ])('Fastify: %s', (code, status, expected) => {
    expect(failureOf(fastify(code, status))).toMatchObject({ status, code: expected });
  });

  it('knows the JSON parser’s errors by their class', () => {
    const error = Object.assign(new SyntaxError('Unexpected token'), { statusCode: 400 });
    expect(failureOf(error)).toMatchObject({ status: 400, code: 'invalid_json' });
  });

  it.each([fastify('FST_ERR_DEFECT', 500), new TypeError('a secret'), 'a secret', null, undefined])(
    'hides the detail of a defect: %p',
    (error) => {
      const failure = failureOf(error);
      expect(failure).toMatchObject(internal);
      expect(failure.message).not.toContain('secret');
    },
  );
});

it('read models of another log are a failure that does not pass by itself', () => {
  const error = new ReadStoreError('foreign-log', 'invoices.v1.g1 is at position 9');
  const expected = { status: 503, code: 'read_model_foreign', retryAfterSeconds: null };
  expect(failureOf(error)).toMatchObject(expected);
});

describe('an event that cannot be read', () => {
  it.each([
    new DamagedEventError({ position: 7n, stream: 'account-ada', reason: 'no JSON' }),
    new UnreadableEventError({ type: 'HoldPlaced', version: 1, data: {} }, 'no holdId'),
  ])('is a failure of the service without its detail', (error) => {
    const found = failureOf(error);
    expect(found).toMatchObject({ status: 503, code: 'event_unreadable', retryAfterSeconds: null });
    expect(found.message).not.toMatch(/account-ada|HoldPlaced|holdId/);
  });
});
