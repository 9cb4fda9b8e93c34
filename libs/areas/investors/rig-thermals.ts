import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import { listenWhenReachable } from '#platform/jobs/listen-when-reachable.js';
import { type Clock } from '#platform/kernel/clock.js';
import { BUS, CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { HEARTBEATS_TOPIC, WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';

export interface RigTemperature {
  /** The engine that reports it, or the sensor of the worker's machine. */
  readonly device: string;
  readonly celsius: number;
  /** ISO 8601. */
  readonly measuredAt: string;
}

/** The facts of an engine that name its rig and the mean temperature of its units. */
const THERMAL_FACTS = { rig: 'rig', celsius: 'gpu_temperature_c' } as const;

/** Several heartbeats. */
const FRESH_MS = 30_000;

/** The temperatures that the workers of rigs report, as this process has heard them. */
@Injectable()
export class RigThermals implements OnModuleInit, OnApplicationShutdown {
  /** By rig, then by worker and device. */
  readonly #byRig = new Map<string, Map<string, RigTemperature>>();
  readonly #stopping = new AbortController();
  #listening: Promise<Listener | null> = Promise.resolve(null);

  constructor(
    @Inject(BUS) private readonly bus: Pick<Bus, 'listen'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const { bus, logger } = this;
    const handle = (message: BusMessage): void => this.hear(message);
    const options = { bus, topic: HEARTBEATS_TOPIC, handle, logger };
    this.#listening = listenWhenReachable(options, this.#stopping.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await (await this.#listening)?.close();
  }

  /** By device; null where none is known of the last seconds. */
  of(rig: string): readonly RigTemperature[] | null {
    const known = [...(this.#byRig.get(rig)?.values() ?? [])];
    const since = this.clock.now() - FRESH_MS;
    const fresh = known.filter(({ measuredAt }) => Date.parse(measuredAt) >= since);
    if (fresh.length === 0) return null;
    return fresh.toSorted((one, other) => (one.device < other.device ? -1 : 1));
  }

  /** @throws ZodError for a message that is no heartbeat */
  hear({ data }: Pick<BusMessage, 'data'>): void {
    const heartbeat = WorkerHeartbeat.parse(data);
    const { worker, sentAt, engines } = heartbeat;
    for (const { device, celsius } of sensorsOf(heartbeat)) {
      this.#set(heartbeat.rig.name, worker, { device, celsius, measuredAt: sentAt });
    }
    for (const { name: device, facts } of engines) {
      const rig = facts[THERMAL_FACTS.rig];
      const celsius = facts[THERMAL_FACTS.celsius];
      if (typeof rig !== 'string' || typeof celsius !== 'number') continue;
      this.#set(rig, worker, { device, celsius, measuredAt: sentAt });
    }
  }

  #set(rig: string, worker: string, temperature: RigTemperature): void {
    const ofRig = this.#byRig.get(rig) ?? new Map<string, RigTemperature>();
    ofRig.set(`${worker}\n${temperature.device}`, temperature);
    this.#byRig.set(rig, ofRig);
  }
}

/** The sensors of a worker's machine that tell their temperature. */
const sensorsOf = ({
  hardware,
  telemetry,
}: WorkerHeartbeat): readonly Pick<RigTemperature, 'device' | 'celsius'>[] => {
  const devices = (telemetry.devices ?? []).map(({ temperatureC }, index) => ({
    device: `${hardware.devices?.[index]?.name ?? 'device'} ${index}`,
    temperatureC,
  }));
  const { temperatureC } = telemetry.processors;
  return [...devices, { device: 'processors', temperatureC }].flatMap((sensor) =>
    sensor.temperatureC === null ? [] : [{ device: sensor.device, celsius: sensor.temperatureC }],
  );
};
