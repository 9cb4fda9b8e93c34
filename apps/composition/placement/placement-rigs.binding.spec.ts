import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { PlaceStagesCommand, PlaceStagesHandler } from '#areas/placement/place-stages.handler.js';
import { placementFailures } from '#areas/placement/placement.failures.js';
import { Placements } from '#areas/placement/placements.js';
import { nodeOf } from '#areas/statistics/worker-readings.js';
import { placementEvents } from '#events/placement/placement.events.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { systemClock } from '#platform/kernel/clock.js';
import { TimedOutError } from '#platform/kernel/within.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { describedBy } from '#platform/runtime/areas/failure.js';
import {
  FaultyEventStore,
  FaultyReadStore,
  MemoryLog,
} from '#platform/runtime/faulty-stores.fake.js';
import { Snapshots } from '#platform/runtime/commands/snapshots.js';
import { ProbedLinks } from '#platform/tasks/probed-links.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { heartbeatOf } from '#platform/tasks/worker-heartbeat.fixture.js';
import { HEARTBEATS_TOPIC, type WorkerHardware } from '#platform/tasks/worker-heartbeat.js';
import { WorkerRigs } from './placement-rigs.binding.js';

const logger = pino({ enabled: false });

describe('placements on the workers of a bus', () => {
  let bus: Bus;
  let directory: WorkerDirectory;
  let rigs: WorkerRigs;
  let handler: PlaceStagesHandler;
  const links: ProbedLinks[] = [];

  beforeEach(() => {
    bus = createInProcessBus();
    directory = new WorkerDirectory({ bus, instance: 'gateway-1', logger, heartbeatMs: 500 });
    rigs = new WorkerRigs(directory);
    directory.start();
    const store = new FaultyEventStore(new MemoryLog());
    const snapshots = new Snapshots(new FaultyReadStore());
    const placements = new Placements(store, new EventCodec(placementEvents), snapshots);
    handler = new PlaceStagesHandler(placements, rigs, systemClock);
  });

  afterEach(async () => {
    await Promise.all(links.splice(0).map((link) => link.stop()));
    await directory.stop();
    await bus.close();
  });

  const join = async (
    worker: string,
    memory: Pick<WorkerHardware, 'hostMemoryBytes' | 'devices'>,
  ): Promise<void> => {
    const link = new ProbedLinks({ bus, worker, logger });
    link.start();
    links.push(link);
    const data = heartbeatOf(worker, { hardware: { processor: null, cores: 2, ...memory } });
    await bus.publish(HEARTBEATS_TOPIC, [{ key: worker, id: randomUUID(), headers: {}, data }]);
  };

  const place = (ppDegree: number, memoryBytes: number) => {
    const orderId = randomUUID();
    const terms = { orderId, accountId: '7', model: null, tpDegree: 1, reservedSeconds: 60 };
    const wanted = { ...terms, ppDegree, memoryBytes };
    return handler.execute(new PlaceStagesCommand(wanted, contextOf(orderId, 'user:7')));
  };

  it('have one rig without a measurement, and two with one', async () => {
    const devices = [{ name: 'T4', memoryBytes: 300 }];
    await join('rack-1.example.org', { hostMemoryBytes: 100, devices: null });
    await join('rack-2.example.org', { hostMemoryBytes: 9_999, devices });
    const alone = await place(1, 80);
    expect(alone.placement).toMatchObject({
      shards: [{ rig: nodeOf('rack-1.example.org'), device: null, memoryBytes: 80 }],
      links: [],
    });
    const { placement } = await place(3, 300);
    expect(placement).toMatchObject({ placementId: 2, links: [] });
    expect(new Set(placement.shards.map(({ rig, device }) => `${rig} ${device}`))).toEqual(
      new Set([`${nodeOf('rack-2.example.org')} 0`]),
    );
    await expect(place(1, 21)).rejects.toThrow('21 bytes are missing');
  });

  it('are rejected for a while where the bus cannot be reached', async () => {
    const late = { ready: () => Promise.reject(new TimedOutError(10)) };
    const directory = { start: () => undefined, stop: () => Promise.resolve(), ...late };
    const measure = () => Promise.resolve(null);
    const away = new WorkerRigs({ ...directory, measure });
    const failure = await away.rigs().catch((error: unknown) => error);
    const meanings = { errors: {}, failures: placementFailures };
    expect(describedBy(failure, meanings)).toMatchObject({ status: 503, code: 'rigs_unknown' });
  });

  it('cross a link whose transfer was timed', async () => {
    await join('one', { hostMemoryBytes: 100, devices: null });
    await join('two', { hostMemoryBytes: 100, devices: null });
    const { placement } = await place(2, 200);
    const [link] = placement.links;
    expect([link?.from, link?.to].toSorted()).toEqual(['one', 'two'].map(nodeOf).toSorted());
    expect(link?.kilobitsPerSecond).toBeGreaterThan(0);
  });
});
