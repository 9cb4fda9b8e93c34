import { NodeReadings, type NodeSampled } from '#events/statistics/node.events.js';
import { rigNameOf } from '#platform/tasks/rig-name.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';

/** The fact of an engine by which a worker reports each quantity; absent where it does not. */
export const READING_FACTS = {
  units: 'gpu_units',
  tflops: 'gpu_tflops',
  brand: 'gpu_brand',
  temperatureC: 'gpu_temperature_c',
  powerW: 'gpu_power_w',
} as const satisfies Readonly<Record<keyof NodeReadings, string>>;

/** The log knows a worker by the default name of its rig. */
export const nodeOf = rigNameOf;

/** What a heartbeat says of its worker. A reading that cannot be right counts as not reported. */
export const sampleOf = (
  { worker, status, engines }: WorkerHeartbeat,
  sampledAt: string,
): NodeSampled['data'] => {
  const { shape } = NodeReadings;
  const read = (key: keyof NodeReadings): unknown => {
    const facts = engines.map((engine) => engine.facts[READING_FACTS[key]]);
    const fact = facts.find((one) => one !== undefined);
    return shape[key].safeParse(fact ?? null).data ?? null;
  };
  const readings = NodeReadings.parse({
    units: read('units'),
    tflops: read('tflops'),
    brand: read('brand'),
    temperatureC: read('temperatureC'),
    powerW: read('powerW'),
  });
  return { node: nodeOf(worker), isOnline: status === 'ready', ...readings, sampledAt };
};
