import { describe, expect, it } from '@jest/globals';
import { BREAKER_THRESHOLDS } from './circuit-breaker.js';
import { RigState } from './rig-state.js';
import { failing, scripted } from './rig-router.fixture.js';

describe('a rig whose trial fails', () => {
  it.each([
    { isOwn: true, downMs: BREAKER_THRESHOLDS.openMs },
    { isOwn: false, downMs: 2 * BREAKER_THRESHOLDS.openMs },
  ])('is down for $downMs ms, if isOwn is $isOwn', ({ isOwn, downMs }) => {
    const { backend } = scripted();
    const rig = { name: 'a', backend, maxConcurrency: 1, models: new Set<string>(), isOwn };
    const state = new RigState(rig, BREAKER_THRESHOLDS);
    let nowMs = 0;
    const fail = (): void => {
      const visit = state.enter(
        () => nowMs,
        () => undefined,
        'llama',
      );
      visit.failed(failing('unreachable'));
      visit.leave();
    };
    for (let sent = 0; sent < BREAKER_THRESHOLDS.failuresToOpen; sent += 1) fail();
    nowMs += state.downMs(nowMs, 'llama');
    fail();
    expect(state.downMs(nowMs, 'llama')).toBe(downMs);
  });
});
