import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ATTEMPTS_MAX,
  costEvents,
  type RigAttemptsRecorded,
} from '#events/costs/rig-attempt.events.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { WAITING_MAX } from '#platform/runtime/commands/fact-queue.js';
import { FaultyEventStore } from '#platform/runtime/faulty-stores.fake.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { observedAttempt as attempt } from './observed-attempt.fixture.js';

const clock = { now: () => Date.parse('2026-11-25T18:00:02.000Z') };

describe('the recorder of attempts', () => {
  let log: FaultyEventStore;
  let warnings: string[];
  let recorder: AttemptRecorder;

  beforeEach(() => {
    log = new FaultyEventStore();
    warnings = [];
    const warn = (_: unknown, message?: string) => void warnings.push(message ?? '');
    recorder = new AttemptRecorder(log, new EventCodec(costEvents), clock, { warn } as never);
  });

  afterEach(async () => {
    await recorder.onApplicationShutdown();
  });

  const recorded = async () => {
    const events = (await Array.fromAsync(log.readAll())).flat();
    return events.map(({ stream, revision, data }) => {
      const { work, lost } = data as RigAttemptsRecorded['data'];
      const sizes = work.reduce((sum, { accountIds }) => sum + accountIds.length, 0);
      return { stream, revision, sizes, lost };
    });
  };

  it('writes nothing while an attempt is observed, and one event for a batch', async () => {
    for (let count = 0; count < 5; count += 1) recorder.record(attempt());
    expect(await recorded()).toEqual([]);
    await recorder.flush();
    expect(await recorded()).toMatchObject([{ sizes: 5, lost: 0 }]);
    await recorder.flush();
    expect(await recorded()).toHaveLength(1);
  });

  it('divides many attempts into events of one stream', async () => {
    for (let count = 0; count < ATTEMPTS_MAX + 3; count += 1) recorder.record(attempt());
    await recorder.flush();
    const events = await recorded();
    expect(events).toMatchObject([
      { sizes: ATTEMPTS_MAX, revision: 0n },
      { sizes: 3, revision: 1n },
    ]);
    expect(new Set(events.map(({ stream }) => stream)).size).toBe(1);
  });

  it('records an attempt once, whatever becomes of an append', async () => {
    log.appends.plan('fail-before', 'fail-after', 'unknown-done');
    recorder.record(attempt());
    for (let tries = 0; tries < 3; tries += 1) await recorder.flush();
    recorder.record(attempt());
    await recorder.flush();
    expect((await recorded()).map(({ sizes }) => sizes)).toEqual([1, 1]);
    expect(warnings).not.toEqual([]);
  });

  it('counts what it cannot keep, and says so in its next event', async () => {
    log.appends.plan('fail-before');
    recorder.record(attempt());
    await recorder.flush();
    for (let count = 0; count < WAITING_MAX + 7; count += 1) recorder.record(attempt());
    await recorder.flush();
    const events = await recorded();
    expect(events.reduce((sum, { sizes }) => sum + sizes, 0)).toBe(WAITING_MAX + 1);
    expect(events.reduce((sum, { lost }) => sum + lost, 0)).toBe(7);
  });

  it('loses a batch that does not fit the event, and records the next one', async () => {
    recorder.record(attempt({ model: '' }));
    await recorder.flush();
    recorder.record(attempt());
    await recorder.flush();
    expect(await recorded()).toMatchObject([{ sizes: 1, lost: 1 }]);
    expect(warnings).toEqual(['attempts of rigs do not fit their event']);
  });

  it('records what waits when the process stops', async () => {
    recorder.record(attempt());
    await recorder.onApplicationShutdown();
    expect(await recorded()).toMatchObject([{ sizes: 1 }]);
  });
});
