import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { TimedOutError } from '#platform/kernel/within.js';
import { ProbeMessage, probeResultsTopicOf, probesTopicOf } from './probe.protocol.js';
import { ProbedLinks } from './probed-links.js';
import { WorkerDirectory } from './worker-directory.js';
import { heartbeatOf } from './worker-heartbeat.fixture.js';
import { HEARTBEATS_TOPIC, type WorkerHeartbeat } from './worker-heartbeat.js';

const logger = pino({ enabled: false });

const beat = (worker: string, status: WorkerHeartbeat['status'] = 'ready'): WorkerHeartbeat =>
  heartbeatOf(worker, { status });

describe('the directory of workers', () => {
  let bus: Bus;
  let nowMs: number;
  let directory: WorkerDirectory;
  const links: ProbedLinks[] = [];

  beforeEach(() => {
    bus = createInProcessBus();
    nowMs = 0;
    directory = directoryOf(10_000);
  });

  afterEach(async () => {
    await Promise.all(links.splice(0).map((link) => link.stop()));
    await directory.stop();
    await bus.close();
  });

  const directoryOf = (measureMs: number): WorkerDirectory => {
    const times = { heartbeatMs: 10, measureMs, nowMs: () => nowMs };
    const created = new WorkerDirectory({ bus, instance: 'gateway-1', logger, ...times });
    created.start();
    return created;
  };
  const report = async (heartbeat: WorkerHeartbeat): Promise<void> => {
    const message = { key: heartbeat.worker, id: randomUUID(), headers: {}, data: heartbeat };
    await bus.publish(HEARTBEATS_TOPIC, [message]);
  };
  const names = async () => (await directory.ready()).map(({ worker }) => worker);
  const until = async (expected: readonly string[]): Promise<void> => {
    while ((await names()).join() !== expected.join()) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const join = (worker: string, receiptMs = 5_000): void => {
    const link = new ProbedLinks({ bus, worker, logger, receiptMs });
    link.start();
    links.push(link);
  };

  it('lists the workers that take tasks, by name, until they stop or are silent', async () => {
    await names();
    await report(beat('two'));
    await report(beat('one'));
    await report(beat('three', 'starting'));
    await until(['one', 'two']);
    await report(beat('two', 'stopping'));
    await until(['one']);
    nowMs = 29;
    expect(await names()).toEqual(['one']);
    nowMs = 30;
    expect(await names()).toEqual([]);
  });

  it('rejects while the bus cannot be reached', async () => {
    const away = {
      publish: () => Promise.reject(new Error('away')),
      listen: () => Promise.reject(new Error('away')),
    };
    const options = { bus: away, instance: 'gateway-2', logger, heartbeatMs: 10 };
    const cutOff = new WorkerDirectory(options);
    cutOff.start();
    await expect(cutOff.ready()).rejects.toThrow(TimedOutError);
    expect(await cutOff.measure('one', 'two')).toBeNull();
    await cutOff.stop();
  });

  it('times a transfer from one worker to another', async () => {
    const heard: BusMessage[] = [];
    const onFailed = (): void => undefined;
    const topic = probesTopicOf('two');
    await bus.listen({ topic, onFailed, handle: (message) => heard.push(message) });
    join('one');
    join('two');
    const startedAt = performance.now();
    const speed = await directory.measure('one', 'two');
    const elapsedMs = performance.now() - startedAt;
    const chunks = heard.map(({ data }) => ProbeMessage.parse(data));
    const bytes = chunks.reduce((sum, chunk) => {
      return chunk.kind === 'chunk' ? sum + Buffer.from(chunk.content, 'base64').length : sum;
    }, 0);
    // One chunk that is not timed, then eight.
    expect(bytes).toBe(9 * 524_288);
    // The timed part is shorter than all of it.
    expect(speed).toBeGreaterThan((8 * 524_288 * 8) / elapsedMs);
    expect(speed).toBeLessThan(1e9);
  });

  it('knows a rig by name or number, by the last start of its worker, and silence', async () => {
    const rig = { name: 'press', region: 'uk' };
    const started = (startedAt: string) => heartbeatOf('one', { rig, startedAt });
    expect(directory.rig('press')).toBeUndefined();
    await until([]);
    await report(started('2026-01-01T00:00:20.000Z'));
    await report(started('2026-01-01T00:00:10.000Z'));
    await until(['one']);
    const known = directory.rig('press');
    expect(known).toMatchObject({ heartbeat: { startedAt: '2026-01-01T00:00:20.000Z' } });
    expect(known?.isSilent).toBe(false);
    expect(directory.rig('145340810289304')).toEqual(known);
    nowMs += 30;
    expect(directory.rig('press')?.isSilent).toBe(true);
  });

  it('is null for a link to a worker that does not answer', async () => {
    join('one', 20);
    expect(await directory.measure('one', 'gone')).toBeNull();
  });

  it('is null for a link from a worker that does not answer', async () => {
    const impatient = directoryOf(50);
    expect(await impatient.measure('gone', 'one')).toBeNull();
    await impatient.stop();
  });

  it('times several links of one worker one after the other', async () => {
    for (const worker of ['one', 'two', 'three']) join(worker);
    const speeds = await Promise.all(
      ['two', 'three'].map((worker) => directory.measure('one', worker)),
    );
    expect(speeds).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it('times the way to a worker and back', async () => {
    expect(await directory.ping('gone')).toBeNull();
    const trips = [40, 7, 9];
    const topic = probesTopicOf('slow');
    const onFailed = (): void => undefined;
    const handle = ({ data }: BusMessage) => {
      const { kind, probe } = ProbeMessage.parse(data);
      expect(kind).toBe('ping');
      nowMs += trips.shift() ?? 0;
      const message = { key: probe, id: randomUUID(), headers: {}, data: { kind: 'pong', probe } };
      void bus.publish(probeResultsTopicOf('gateway-1'), [message]);
    };
    await bus.listen({ topic, onFailed, handle });
    expect(await directory.ping('slow')).toBe(9);
    join('one');
    expect(await directory.ping('one')).toBe(0);
  });

  it('stops without waiting for a measurement', async () => {
    const measured = directory.measure('gone', 'one');
    await directory.stop();
    expect(await measured).toBeNull();
    expect(await directory.measure('one', 'two')).toBeNull();
  });
});
