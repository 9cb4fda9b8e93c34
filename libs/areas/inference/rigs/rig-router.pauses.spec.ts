import { describe, expect, it } from '@jest/globals';
import { inferenceFailures } from '../inference.failures.js';
import { describedBy } from '#platform/runtime/areas/failure.js';
import { inferenceErrors } from '../inference.errors.js';
import { ANSWER, errorOf, failing, routerOf, scripted } from './rig-router.fixture.js';

describe('a rig that answers 429', () => {
  it('pauses the model of a 429 on that rig, and none of its other models', async () => {
    const limited = failing('overloaded', { status: 429, retryAfterMs: 60_000 });
    const a = scripted(limited, ANSWER);
    const { complete, check } = routerOf({ rigsOf: { a: a.backend } });
    expect(await errorOf(complete())).toMatchObject({ kind: 'overloaded' });
    expect(check()).toMatchObject({ kind: 'overloaded', details: { rigError: limited } });
    expect(check({ model: 'only-a' })).toBeNull();
    expect((await complete({ model: 'only-a' })).rig).toBe('a');
    expect(a.asked).toHaveLength(2);
  });

  it('reaches the caller as 429 with Retry-After when no rig is left', async () => {
    const limited = failing('overloaded', { status: 429, retryAfterMs: 60_000 });
    const { complete } = routerOf({ rigsOf: { a: scripted(limited).backend } });
    const described = (error: unknown) =>
      describedBy(error, { errors: inferenceErrors, failures: inferenceFailures });
    for (let asked = 0; asked < 2; asked += 1) {
      expect(described(await errorOf(complete()))).toMatchObject({
        status: 429,
        code: 'upstream_rate_limited',
        retryAfterSeconds: 60,
      });
    }
  });
});
