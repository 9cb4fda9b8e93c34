import { WorkerReadings, type WorkerSampled } from '#events/statistics/worker.events.js';
import { rigNameOf } from '#platform/tasks/rig-name.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';

/** The fact of an engine by which a worker reports each quantity; absent where it does not. */
export const READING_FACTS = {
  units: 'gpu_units',
  tflops: 'gpu_tflops',
  brand: 'gpu_brand',
  temperatureC: 'gpu_temperature_c',
  powerW: 'gpu_power_w',
} as const satisfies Readonly<Record<keyof WorkerReadings, string>>;

/** The log knows a worker by the default name of its rig. */
export const nodeOf = rigNameOf;

/** The machine's telemetry of its accelerators, for quantities that no engine reports. */
const measuredBy = ({
  hardware,
  telemetry,
}: Pick<WorkerHeartbeat, 'hardware' | 'telemetry'>): Partial<WorkerReadings> => {
  const devices = telemetry.devices ?? [];
  const temperatures = devices.flatMap(({ temperatureC }) => temperatureC ?? []);
  const powers = devices.flatMap(({ powerW }) => powerW ?? []);
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
  return {
    units: hardware.devices?.length ?? null,
    brand: /^[A-Za-z]+/.exec(hardware.devices?.[0]?.name ?? '')?.[0] ?? null,
    temperatureC: temperatures.length > 0 ? sum(temperatures) / temperatures.length : null,
    // A part of the devices would not be the power of all.
    powerW: powers.length > 0 && powers.length === devices.length ? sum(powers) : null,
  };
};

/**
 * The sample of a worker in its heartbeat. A reading that cannot be right counts as not reported.
 */
export const sampleOf = (
  { worker, status, engines, hardware, telemetry }: WorkerHeartbeat,
  sampledAt: string,
): WorkerSampled['data'] => {
  const { shape } = WorkerReadings;
  const measured = measuredBy({ hardware, telemetry });
  const read = (key: keyof WorkerReadings): unknown => {
    const facts = engines.map((engine) => engine.facts[READING_FACTS[key]]);
    const fact = facts.find((one) => one !== undefined);
    return shape[key].safeParse(fact ?? measured[key] ?? null).data ?? null;
  };
  const readings = WorkerReadings.parse({
    units: read('units'),
    tflops: read('tflops'),
    brand: read('brand'),
    temperatureC: read('temperatureC'),
    powerW: read('powerW'),
  });
  return { node: nodeOf(worker), isOnline: status === 'ready', ...readings, sampledAt };
};
