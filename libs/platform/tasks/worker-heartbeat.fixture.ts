import { NO_TELEMETRY } from '#platform/telemetry/telemetry.js';
import { rigNameOf } from './rig-name.js';
import { type WorkerHeartbeat } from './worker-heartbeat.js';

const AT = '2026-01-01T00:00:00.000Z';

/** The heartbeat of a worker that is ready and has no engine. */
export const heartbeatOf = (
  worker: string,
  more: Partial<WorkerHeartbeat> = {},
): WorkerHeartbeat => ({
  worker,
  rig: { name: rigNameOf(worker), region: null },
  startedAt: AT,
  sentAt: AT,
  status: 'ready',
  hardware: { hostMemoryBytes: 1_024, processor: null, cores: 2, devices: null },
  telemetry: NO_TELEMETRY,
  engines: [],
  ...more,
});

/** The report of one engine. */
export const engineBeatOf = (
  name: string,
  more: Partial<WorkerHeartbeat['engines'][number]> = {},
): WorkerHeartbeat['engines'][number] => ({
  name,
  ready: true,
  reasons: [],
  runningTasks: 0,
  tasksMax: 4,
  doneTasks: 0,
  busyMs: 0,
  models: [],
  facts: {},
  ...more,
});
