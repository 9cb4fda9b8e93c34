import { describe, expect, it } from '@jest/globals';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { inferenceFailures } from './inference.failures.js';
import { RigError, type RigErrorKind } from './rigs/chat-backend.js';
import { RouteError, type RouteErrorKind } from './rigs/route-error.js';

const ROUTE_KINDS: Readonly<Record<RouteErrorKind, true>> = {
  'model-not-served': true,
  'rig-unknown': true,
  'rig-without-model': true,
  'rig-drained': true,
  'rig-lost': true,
  'queue-full': true,
  overloaded: true,
  down: true,
  cancelled: true,
  refused: true,
  failed: true,
};

const RIG_KINDS: Readonly<Record<RigErrorKind, true>> = {
  unreachable: true,
  'timed-out': true,
  overloaded: true,
  failed: true,
  refused: true,
  malformed: true,
  'broken-off': true,
  cancelled: true,
};

const ERRORS: readonly Error[] = [
  ...(['client_gone', 'timed_out', 'shut_down'] as const).map((one) => new RequestCutError(one)),
  ...Object.keys(ROUTE_KINDS).map((kind) => new RouteError(kind as RouteErrorKind, 'because', [])),
  ...Object.keys(RIG_KINDS).map((kind) => new RigError(kind as RigErrorKind, 'because')),
  new RigError('failed', 'because', { status: 401 }),
];

/** No caller reads it: the connection is closed. */
const CLIENT_GONE = 499;

describe('the technical failures of inference', () => {
  it('declare each code that they return', () => {
    const declared = Object.assign({}, ...inferenceFailures.map(({ codes }) => codes)) as Readonly<
      Record<string, { readonly status: number }>
    >;
    for (const error of ERRORS) {
      const [described] = inferenceFailures.flatMap((one) => one.describe(error) ?? []);
      const { code = '', status } = described ?? {};
      if (status !== CLIENT_GONE) expect([code, declared[code]?.status]).toEqual([code, status]);
    }
  });
});
