import {
  BadRequestException,
  MethodNotAllowedException,
  Module,
  NotFoundException,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import {
  AppendTooLargeError,
  InvalidAppendError,
  StaleRevisionError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { ContentionError } from '#platform/runtime/commands/command-runner.js';
import { ForeignLogError } from '#platform/runtime/log-standing/log-epoch.js';
import { mapFailure } from '#platform/runtime/areas/failure.js';
import { ProjectionLaggingError } from '#platform/runtime/projections/projections.js';
import { SubjectKeysUnavailableError } from '#platform/secrets/subject-keys.js';
import { areas } from '../../composition/areas.js';
import { failureOf } from '../errors/failure-of.js';
import { invalidKey, notAdmitted } from '../idempotency/idempotency.failures.js';
import {
  credentialNotAccepted,
  insufficientRole,
  invalidCredentials,
  missingCredentials,
} from '../identity/identity.failures.js';
import { failureCodesOf, failureTable } from './failure-codes.js';

const PLATFORM_ERRORS = [
  new BadRequestException(),
  new NotFoundException(),
  new MethodNotAllowedException(),
  new PayloadTooLargeException(),
  new UnsupportedMediaTypeException(),
  new SyntaxError('no JSON'),
  new ContentionError(),
  new ForeignLogError(),
  new StaleRevisionError('lease-1', 1n, 2n),
  new AppendTooLargeError(),
  new InvalidAppendError(),
  new UnknownOutcomeError(),
  new StoreUnavailableError(),
  new ProjectionLaggingError(),
  new SubjectKeysUnavailableError(),
  invalidKey(),
  notAdmitted('conflict'),
  notAdmitted('running'),
  notAdmitted('too-large'),
  notAdmitted('charged'),
  missingCredentials(),
  invalidCredentials(),
  credentialNotAccepted('an API key'),
  insufficientRole(['Admin']),
].map((error) => [error.constructor.name, error] as const);

class StallClosed extends Error {}

@Module({})
class MarketModule {}

const market = defineArea({
  name: 'market',
  errors: { stall_taken: { status: 409 }, stall_lost: { status: 500 } },
  failures: [
    mapFailure(StallClosed, ({ message }) => ({ status: 503, code: 'stall_closed', message }), {
      stall_closed: { status: 503 },
    }),
  ],
  module: MarketModule,
});

const SNAKE_CASE = /^[a-z]+(_[a-z0-9]+)*$/;

describe('the failure codes', () => {
  it('of the gateway and of every area are in snake case', () => {
    const codes = failureCodesOf(new Areas(areas)).map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(50);
    expect(codes.filter((code) => !SNAKE_CASE.test(code))).toEqual([]);
  });

  it.each(PLATFORM_ERRORS)('have the code of a %s', (_name, error) => {
    const { status, code } = failureOf(error, { errors: {}, failures: [] });
    expect(code).toMatch(SNAKE_CASE);
    expect(failureCodesOf(new Areas([]))).toContainEqual({ status, code, origin: 'gateway' });
  });

  it('have the domain errors and the technical failures of each area, by status', () => {
    const codes = failureCodesOf(new Areas([market]));
    expect(codes.filter(({ origin }) => origin === 'market')).toEqual([
      { status: 409, code: 'stall_taken', origin: 'market' },
      { status: 503, code: 'stall_closed', origin: 'market' },
    ]);
    const statuses = codes.map(({ status }) => status);
    expect(statuses).toEqual(statuses.toSorted((one, other) => one - other));
  });

  it('are a table in Markdown', () => {
    expect(failureTable([{ status: 409, code: 'stall_taken', origin: 'market' }])).toBe(
      '| Status | Code | Declared by |\n| --- | --- | --- |\n| 409 | `stall_taken` | market |',
    );
  });
});
