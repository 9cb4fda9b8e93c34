import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { movableClock, silent } from '#platform/runtime/stock.fixture.js';
import { engineBeatOf, heartbeatOf } from '#platform/tasks/worker-heartbeat.fixture.js';
import { HEARTBEATS_TOPIC, type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { NO_TELEMETRY } from '#platform/telemetry/telemetry.js';
import { nodeOf } from './worker-readings.js';
import { WorkerSampler } from './worker-sampler.js';
import { SampleWorkerCommand } from './sample-worker.handler.js';

const AT = '2026-01-01T00:00:00.000Z';
const settings = { groupMin: 5, sampleEveryMs: 300_000 };

const beat = (
  facts: WorkerHeartbeat['engines'][number]['facts'],
  status: WorkerHeartbeat['status'] = 'ready',
): WorkerHeartbeat =>
  heartbeatOf('rack-7.example.org', {
    status,
    engines: [engineBeatOf('language-model', { facts })],
  });

describe('the sampler of nodes', () => {
  const clock = movableClock();
  let bus: Bus;
  let sampler: WorkerSampler;
  let commands: SampleWorkerCommand[];
  let failing: boolean;

  const hear = async (data: unknown): Promise<void> => {
    await bus.publish(HEARTBEATS_TOPIC, [{ key: 'one', id: randomUUID(), headers: {}, data }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
  };

  beforeEach(async () => {
    clock.nowMs = Date.parse(AT);
    commands = [];
    failing = false;
    bus = createInProcessBus();
    sampler = new WorkerSampler(bus, clock, silent, settings);
    await sampler.start({
      execute: (command) => {
        if (failing) return Promise.reject(new Error('not now'));
        if (command instanceof SampleWorkerCommand) commands.push(command);
        return Promise.resolve();
      },
    });
    await eventually(() => sampler.status().phase === 'live');
  });

  afterEach(async () => {
    await sampler.stop();
    await bus.close();
  });

  it('records what a worker reports, under a name that is not its host', async () => {
    await hear(beat({ gpu_units: 2, gpu_brand: 'NVIDIA', gpu_temperature_c: 61.5, models: 3 }));
    expect(commands.map(({ data }) => data)).toEqual([
      {
        node: nodeOf('rack-7.example.org'),
        isOnline: true,
        units: 2,
        tflops: null,
        brand: 'NVIDIA',
        temperatureC: 61.5,
        powerW: null,
        sampledAt: AT,
      },
    ]);
    expect(JSON.stringify(commands)).not.toContain('rack-7');
  });

  it('records what the machine tells, where no engine does', async () => {
    const device = (temperatureC: number, powerW: number | null) => ({
      temperatureC,
      powerW,
      utilisationPct: null,
      memoryUsedBytes: null,
    });
    const hardware = {
      ...beat({}).hardware,
      devices: ['NVIDIA H100', 'NVIDIA H100'].map((name) => ({ name, memoryBytes: 1_024 })),
    };
    const devices = [device(60, 300), device(70, 200)];
    await hear({ ...beat({}), hardware, telemetry: { ...NO_TELEMETRY, devices } });
    clock.nowMs += settings.sampleEveryMs;
    const partly = { ...NO_TELEMETRY, devices: [device(60, 300), device(70, null)] };
    await hear({ ...beat({ gpu_temperature_c: 42 }), hardware, telemetry: partly });
    const units = { units: 2, brand: 'NVIDIA' };
    expect(commands.map(({ data }) => data)).toMatchObject([
      { ...units, temperatureC: 65, powerW: 500 },
      { ...units, temperatureC: 42, powerW: null },
    ]);
  });

  it('takes a reading that cannot be right as not reported', async () => {
    await hear(beat({ gpu_units: -1, gpu_power_w: 'much', gpu_temperature_c: 4_000 }));
    expect(commands).toMatchObject([{ data: { units: null, powerW: null, temperatureC: null } }]);
  });

  it('sends a sample of each interval, and a stop at once', async () => {
    await hear(beat({}));
    await hear(beat({}));
    expect(commands).toHaveLength(1);
    await hear(beat({}, 'stopping'));
    expect(commands.map(({ data }) => data.isOnline)).toEqual([true, false]);
    clock.nowMs += settings.sampleEveryMs;
    await hear(beat({}, 'stopping'));
    expect(commands).toHaveLength(3);
  });

  it('tries again with the next heartbeat, and reports the failure until then', async () => {
    failing = true;
    await hear(beat({}));
    expect(sampler.status().failure).toBe('not now');
    failing = false;
    await hear(beat({}));
    expect(commands).toHaveLength(1);
    expect(sampler.status().failure).toBeNull();
  });
});
