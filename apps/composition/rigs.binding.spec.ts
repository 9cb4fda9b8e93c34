import { describe, expect, it } from '@jest/globals';
import { sleepAtLeast } from './rigs.binding.js';

describe('a pause before a rig is asked again', () => {
  it('is never shorter than it should be, by the clock that times attempts', async () => {
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
