import { RigName } from '#events/catalog/rate-card.events.js';
import { WorkerRigDescription } from '#events/fleet/worker-rig.events.js';
import { rigNameOf } from '#platform/tasks/rig-name.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { type HeardSpan } from './worker-rig.decider.js';

/** The first word of a device or a processor is its maker: `NVIDIA H100 PCIe`, `AMD EPYC 9654`. */
const BRAND = /^([A-Za-z]+)/;

const brandOf = ({ devices, processor }: WorkerHeartbeat['hardware']): string | null =>
  BRAND.exec(devices?.[0]?.name ?? processor ?? '')?.[1] ?? null;

/** @throws ZodError for a name or a region that no rig may have */
export const describeRig = ({
  rig: { region },
  hardware,
  engines,
}: WorkerHeartbeat): WorkerRigDescription =>
  WorkerRigDescription.parse({
    region,
    brand: brandOf(hardware),
    processor: hardware.processor,
    cores: hardware.cores,
    hostMemoryBytes: hardware.hostMemoryBytes,
    devices: hardware.devices,
    engines: engines.map(({ name, tasksMax, models }) => ({ name, tasksMax, models })),
  });

/** The process that sends the heartbeats. @throws ZodError */
export const processOf = ({ rig, worker, startedAt }: WorkerHeartbeat) => ({
  rig: RigName.parse(rig.name),
  node: rigNameOf(worker),
  startedAt,
});

/** The worker takes no more tasks, and none runs. */
export const isIdle = ({ status, engines }: WorkerHeartbeat): boolean =>
  status === 'draining' && engines.every(({ runningTasks }) => runningTasks === 0);

/** The heartbeats since the last summary, without keeping them. */
export class SpanOfHeartbeats {
  #heartbeats = 0;
  #doneTasksTotal = 0;
  #temperatureMaxC: number | null = null;
  #powerSumW = 0;
  #powers = 0;

  add({ engines, telemetry: { processors, devices } }: WorkerHeartbeat): void {
    this.#heartbeats += 1;
    this.#doneTasksTotal = engines.reduce((sum, { doneTasks }) => sum + doneTasks, 0);
    const sensors = [processors, ...(devices ?? [])];
    for (const { temperatureC } of sensors) {
      if (temperatureC === null) continue;
      this.#temperatureMaxC = Math.max(this.#temperatureMaxC ?? temperatureC, temperatureC);
    }
    const powers = sensors.flatMap(({ powerW }) => powerW ?? []);
    if (powers.length === 0) return;
    this.#powerSumW += powers.reduce((sum, powerW) => sum + powerW, 0);
    this.#powers += 1;
  }

  get span(): HeardSpan {
    return {
      heartbeats: this.#heartbeats,
      doneTasksTotal: this.#doneTasksTotal,
      temperatureMaxC: this.#temperatureMaxC,
      powerMeanW: this.#powers === 0 ? null : this.#powerSumW / this.#powers,
    };
  }
}
