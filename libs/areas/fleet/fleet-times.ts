import { HEARTBEAT_MS } from '#platform/tasks/worker-heartbeat.js';

export interface FleetTimes {
  /** How often workers report. */
  readonly heartbeatMs: number;
  /** The longest span of a summary. */
  readonly summaryMs: number;
}

export const FLEET_TIMES = Symbol('FleetTimes');

export const fleetTimes: FleetTimes = { heartbeatMs: HEARTBEAT_MS, summaryMs: 3_600_000 };
