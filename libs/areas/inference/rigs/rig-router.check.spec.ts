import { describe, expect, it } from '@jest/globals';
import { OperatorFields } from './operator-fields.js';
import { errorOf, failing, held, routerOf, scripted, settle } from './rig-router.fixture.js';

describe('a request before anything is held for it', () => {
  it.each([
    ['model-not-served', { model: 'gpt' }],
    ['rig-unknown', { pin: 'z' }],
    ['rig-without-model', { pin: 'a', model: 'only-b' }],
  ])('has no rig: %s', (kind, target) => {
    const { check } = routerOf({ rigsOf: { a: scripted().backend, b: scripted().backend } });
    expect(check(target)).toMatchObject({ kind, attempts: [] });
  });

  it('is rejected while every rig of it is down, and no longer', async () => {
    const a = scripted(failing('failed'));
    const breaker = { failuresToOpen: 1, openMs: 5_000, openMsMax: 5_000 };
    const { check, complete, time } = routerOf({ rigsOf: { a: a.backend }, breaker });
    expect(check()).toBeNull();
    await errorOf(complete());
    expect(check()).toMatchObject({ kind: 'down', details: { retryAfterMs: 5_000 } });
    time.nowMs += 5_000;
    expect(check()).toBeNull();
    expect(a.asked).toHaveLength(1);
  });

  it('is rejected while every rig of it asks to wait', async () => {
    const busy = failing('overloaded', { retryAfterMs: 60_000 });
    const { check, complete } = routerOf({
      rigsOf: { a: scripted(busy).backend, b: scripted().backend },
    });
    await errorOf(complete({ pin: 'a' }));
    expect(check({ pin: 'a' })).toMatchObject({
      kind: 'overloaded',
      details: { retryAfterMs: 60_000 },
    });
    expect(check()).toBeNull();
  });

  it('is rejected while the queue is full, and neither enters it nor takes a slot', async () => {
    const first = held();
    const { check, complete, router } = routerOf({
      rigsOf: { a: scripted(first.move).backend },
      maxConcurrency: 1,
      waitingMax: 1,
    });
    const running = complete();
    await settle();
    expect(check()).toBeNull();
    const waiting = complete();
    expect(check()).toMatchObject({ kind: 'queue-full', details: { retryAfterMs: 1_000 } });
    expect(router.waiting()).toBe(1);
    first.letGo();
    await Promise.all([running, waiting]);
    expect(router.status()[0]?.inFlight).toBe(0);
  });

  it('is rejected by the name of a field that is the operator’s', () => {
    const operatorFields = new OperatorFields('vllm');
    const { check } = routerOf({ rigsOf: { a: scripted().backend }, operatorFields });
    expect(check({}, { temperature: 1, priority: -5 })).toMatchObject({
      kind: 'refused',
      details: {
        rigError: {
          details: {
            status: 400,
            upstreamError: { param: 'priority', code: 'unsupported_parameter' },
          },
        },
      },
    });
    expect(check({}, { temperature: 1, n: 2 })).toBeNull();
  });
});
