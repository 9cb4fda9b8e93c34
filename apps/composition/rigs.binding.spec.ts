import { describe, expect, it } from '@jest/globals';
import { sleepAtLeast } from './rigs.binding.js';

describe('the pause before a retry on a rig', () => {
  it('is never too short by the clock that times attempts', async () => {
    const { signal } = new AbortController();
    for (let ms = 0.1; ms < 20; ms += 1.7) {
      const startedMs = performance.now();
      await sleepAtLeast(ms, signal);
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(ms);
    }
  });

  it('ends when the caller leaves', async () => {
    await expect(sleepAtLeast(60_000, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});
