import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { type Runtime } from '#platform/runtime/runtime.js';
import { type ForeignCheckpoint } from '#platform/runtime/subscriptions/log-trust.js';
import { FakeLedger } from '../ledger.fake.js';
import { Admission } from './admission.js';
import { PaidRequests } from './paid-request.js';

const NOW = Date.parse('2026-11-24T10:00:00.000Z');
const LAGGING = 8_000;

const open = (lagMsMax = 5_000, role: ProcessRole['name'] = 'gateway') => {
  const readers = { lagsMs: [0, 0, 0, 0], isAway: false };
  const status = () =>
    readers.isAway
      ? Promise.reject(new Error('the read store is away'))
      : Promise.resolve(readers.lagsMs.map((lagMs) => ({ lagMs })));
  const log = { foreign: null as ForeignCheckpoint | null, hasShrunk: false };
  const standing = {
    hasShrunk: () => Promise.resolve(log.hasShrunk),
    doubt: null as ForeignCheckpoint | null,
    compare: () => Promise.resolve((standing.doubt = log.foreign)),
  };
  const runtime = { projectionHost: { status }, standing } as unknown as Runtime;
  const admission = new Admission(runtime, new ProcessRole(role), { lagMsMax });
  const ledger = new FakeLedger();
  const paid = new PaidRequests(ledger, { settleMsMax: 1 }, { now: () => NOW }, admission);
  const ask = () =>
    paid.admit(
      { accountId: '7', receivedAtMs: NOW, context: contextOf('request-1', 'user:7') },
      {
        purpose: 'weaving',
        lines: [],
        rateCardVersion: 1,
        evidence: {},
        pricedAtMs: NOW,
        requestMsMax: 1_000,
      },
    );
  const looks = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await admission.look();
  };
  return { readers, log, admission, ledger, ask, looks };
};

describe('the admission of paid work', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('refuses a part while the readers are behind, before anything is held', async () => {
    const { readers, ledger, ask, looks } = open();
    readers.lagsMs = [LAGGING, LAGGING, LAGGING, 0];
    await looks(50);
    await expect(ask()).rejects.toMatchObject({
      code: 'readers_behind',
      metadata: { retry_after_seconds: 2 },
    });
    expect(ledger.calls).toEqual([]);
  });

  it('admits all again when the readers have caught up', async () => {
    const { readers, ask, looks } = open();
    readers.lagsMs = [LAGGING, LAGGING, LAGGING];
    await looks(50);
    readers.lagsMs = [0, 0, 0];
    await looks(30);
    for (let time = 0; time < 20; time += 1) await ask();
  });

  it('admits all while single read models have stopped', async () => {
    const { readers, ask, looks } = open();
    readers.lagsMs = [LAGGING, 1_000_000, 0, 0];
    await looks(50);
    for (let time = 0; time < 20; time += 1) await ask();
  });

  it('stays as it is while the read store does not answer', async () => {
    const { readers, ask, looks } = open();
    readers.isAway = true;
    await looks(50);
    for (let time = 0; time < 20; time += 1) await ask();
  });

  const FOREIGN = {
    checkpoint: { name: 'accounts', position: 9n, event: null },
    reason: 'it is at position 9, and the log ends at 7',
  };

  it.each([
    ['gateway', 0],
    ['projector', 5_000],
  ] as const)('is rejected by a %s on a log that lacks events that were read', async (role, ms) => {
    const { log, admission, ledger, ask } = open(ms, role);
    log.foreign = FOREIGN;
    await admission.onApplicationBootstrap();
    admission.onApplicationShutdown();
    await expect(ask()).rejects.toMatchObject({ code: 'log_foreign' });
    expect(ledger.calls).toEqual([]);
  });

  it('is refused soon after the log was exchanged, and admitted once it is confirmed', async () => {
    const { log, ask, looks } = open();
    await looks(3);
    log.foreign = FOREIGN;
    await looks(1);
    await ask();
    log.hasShrunk = true;
    await looks(1);
    await expect(ask()).rejects.toMatchObject({ code: 'log_foreign' });
    [log.foreign, log.hasShrunk] = [null, false];
    await looks(5);
    await ask();
  });

  it('looks every second, and not at all without a limit', async () => {
    jest.useFakeTimers();
    for (const [lagMsMax, refuses] of [
      [5_000, true],
      [0, false],
    ] as const) {
      const { readers, admission, ask } = open(lagMsMax);
      readers.lagsMs = [LAGGING, LAGGING, LAGGING];
      await admission.onApplicationBootstrap();
      await jest.advanceTimersByTimeAsync(50_000);
      admission.onApplicationShutdown();
      const [outcome] = await Promise.allSettled([ask()]);
      expect(outcome.status).toBe(refuses ? 'rejected' : 'fulfilled');
    }
  });
});
