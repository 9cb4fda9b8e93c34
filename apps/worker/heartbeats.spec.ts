import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BusError } from '#platform/bus/bus.errors.js';
import { type BusMessage } from '#platform/bus/bus.port.js';
import { NO_TELEMETRY } from '#platform/telemetry/telemetry.js';
import { Heartbeats } from './heartbeats.js';

const hardware = { hostMemoryBytes: 1_024, processor: null, cores: 2, devices: null };

describe('the heartbeats of a worker', () => {
  const lines: string[] = [];
  const published: unknown[] = [];
  let heartbeats: Heartbeats;

  afterEach(() => {
    lines.length = 0;
    published.length = 0;
  });

  const start = (publish: () => Promise<void>, intervalMs = 60_000): void => {
    const log = (...line: unknown[]): void => void lines.push(String(line.at(-1)));
    heartbeats = new Heartbeats({
      bus: {
        publish: async (_topic: string, messages: readonly BusMessage[]) => {
          await publish();
          published.push(...messages.map(({ data }) => data));
        },
      },
      worker: 'worker-1',
      rig: { name: 'press', region: 'uk' },
      startedAt: '2023-11-14T22:00:00.000Z',
      status: () => 'ready',
      hardware,
      telemetry: () => NO_TELEMETRY,
      engines: () => [],
      clock: { now: () => 1_700_000_000_000 },
      logger: { warn: log, info: log },
      intervalMs,
    });
  };

  it('begin at once and end with a last one', async () => {
    start(() => Promise.resolve());
    await heartbeats.stop();
    const at = '2023-11-14T22:13:20.000Z';
    const rig = { name: 'press', region: 'uk' };
    const of = { worker: 'worker-1', rig, startedAt: '2023-11-14T22:00:00.000Z', sentAt: at };
    const beat = { ...of, status: 'ready', hardware, telemetry: NO_TELEMETRY, engines: [] };
    expect(published).toEqual([beat, beat]);
  });

  it('are published one at a time, and do not pile up behind a slow bus', async () => {
    let running = 0;
    let most = 0;
    start(async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(20);
      running -= 1;
    });
    for (let n = 0; n < 10; n += 1) heartbeats.beat();
    await heartbeats.stop();
    expect(most).toBe(1);
    expect(published).toHaveLength(2);
  });

  it('continue after failures; the log has the first failure and the recovery', async () => {
    let isAway = true;
    start(() =>
      isAway ? Promise.reject(new BusError('bus-unavailable', 'no')) : Promise.resolve(),
    );
    for (let n = 0; n < 3; n += 1) {
      heartbeats.beat();
      await sleep(1);
    }
    isAway = false;
    await heartbeats.stop();
    expect(lines).toEqual(['a heartbeat could not be published', 'heartbeats are published again']);
    expect(published).toHaveLength(1);
  });
});
