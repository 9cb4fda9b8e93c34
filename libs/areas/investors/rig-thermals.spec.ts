import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { engineBeatOf, heartbeatOf } from '#platform/tasks/worker-heartbeat.fixture.js';
import { NO_TELEMETRY } from '#platform/telemetry/telemetry.js';
import { RigThermals } from './rig-thermals.js';

const NOW = Date.parse('2026-11-22T05:00:30.000Z');
const never = { listen: () => new Promise<never>(() => undefined) };

interface Engine {
  readonly name: string;
  readonly facts: Readonly<Record<string, string | number>>;
}

const heartbeat = (engines: readonly Engine[], sentAt: string) => ({
  data: heartbeatOf('w1', {
    sentAt,
    engines: engines.map(({ name, facts }) => engineBeatOf(name, { facts })),
  }),
});

const engine = (rig: string, name: string, celsius: number | string): Engine => ({
  name,
  facts: { rig, gpu_temperature_c: celsius },
});

describe('the temperatures of a rig', () => {
  const open = () => new RigThermals(never, { now: () => NOW }, pino({ level: 'silent' }));

  it('come from the last heartbeats of its workers, by engine', () => {
    const thermals = open();
    const hot = [engine('press', 'text', 70), engine('press', 'image', 61.5)];
    thermals.hear(heartbeat([...hot, engine('mill', 'spiking', 40)], '2026-11-22T05:00:20.000Z'));
    thermals.hear(heartbeat([engine('press', 'image', 60)], '2026-11-22T05:00:25.000Z'));
    expect(thermals.of('press')).toEqual([
      { device: 'image', celsius: 60, measuredAt: '2026-11-22T05:00:25.000Z' },
      { device: 'text', celsius: 70, measuredAt: '2026-11-22T05:00:20.000Z' },
    ]);
  });

  it('are null without a report, and after a silence of 30 seconds', () => {
    const thermals = open();
    const bare = { name: 'text', facts: { gpu_temperature_c: 70 } };
    thermals.hear(heartbeat([bare], '2026-11-22T05:00:20.000Z'));
    thermals.hear(heartbeat([engine('press', 'text', 'hot')], '2026-11-22T05:00:20.000Z'));
    thermals.hear(heartbeat([engine('press', 'text', 61.5)], '2026-11-22T04:59:59.999Z'));
    expect(thermals.of('press')).toBeNull();
    thermals.hear(heartbeat([engine('press', 'text', 61.5)], '2026-11-22T05:00:00.000Z'));
    expect(thermals.of('press')).toHaveLength(1);
    expect(thermals.of('mill')).toBeNull();
  });

  it('come from the sensors of the worker that registers as the rig', () => {
    const thermals = open();
    const sentAt = '2026-11-22T05:00:20.000Z';
    const none = { powerW: null, utilisationPct: null };
    const devices = [61, null].map((temperatureC) => ({
      ...none,
      temperatureC,
      memoryUsedBytes: null,
    }));
    const data = heartbeatOf('w1', {
      rig: { name: 'press', region: null },
      sentAt,
      hardware: {
        hostMemoryBytes: 1_024,
        processor: null,
        cores: 2,
        devices: ['H100', 'T4'].map((name) => ({ name, memoryBytes: 1_024 })),
      },
      telemetry: { ...NO_TELEMETRY, processors: { ...none, temperatureC: 44.5 }, devices },
    });
    thermals.hear({ data });
    expect(thermals.of('press')).toEqual([
      { device: 'H100 0', celsius: 61, measuredAt: sentAt },
      { device: 'processors', celsius: 44.5, measuredAt: sentAt },
    ]);
  });

  it('are not taken from a message that is no heartbeat', () => {
    expect(() => open().hear({ data: { worker: 'w1' } })).toThrow();
  });
});
