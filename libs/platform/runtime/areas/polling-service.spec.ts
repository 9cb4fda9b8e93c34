import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type Logger } from 'pino';
import { PollingService } from './polling-service.js';

const sender = { execute: () => Promise.resolve() };

class Lighthouse extends PollingService {
  looks = 0;
  isDark = false;

  constructor(readonly errors: string[] = []) {
    const logger = { error: (_: object, message: string) => errors.push(message) };
    const polling = { name: 'lighthouse', pauseMs: 1, failed: 'it is dark; retrying' };
    super(polling, logger as unknown as Logger);
  }

  protected override look(): Promise<void> {
    this.looks += 1;
    return this.isDark ? Promise.reject(new Error('no lamp')) : Promise.resolve();
  }

  /** Resolves after further looks. */
  async looked(): Promise<void> {
    const until = this.looks + 2;
    while (this.looks < until) await sleep(1);
  }
}

describe('a polling service', () => {
  it('looks again and again until it is stopped, and may start again', async () => {
    const service = new Lighthouse();
    for (let term = 0; term < 2; term += 1) {
      await service.start(sender);
      await service.looked();
      expect(service.status()).toMatchObject({ name: 'lighthouse', phase: 'live', failure: null });
      await service.stop();
      expect(service.status().phase).toBe('closed');
      const { looks } = service;
      await sleep(5);
      expect(service.looks).toBe(looks);
    }
  });

  it('shows a failure until a look succeeds', async () => {
    const service = new Lighthouse();
    service.isDark = true;
    await service.start(sender);
    await service.looked();
    expect(service.status()).toMatchObject({ phase: 'live', failure: 'no lamp' });
    expect(service.errors).toContain('it is dark; retrying');
    service.isDark = false;
    await service.looked();
    expect(service.status().failure).toBeNull();
    await service.stop();
  });
});
