import { type WorkerRigDescription } from '#events/fleet/worker-rig.events.js';
import { type HeardSpan } from './worker-rig.decider.js';

export const PROCESS = {
  rig: 'press',
  node: 'worker-0f9a3c5e7b1d2f40',
  startedAt: '2026-11-22T06:00:00.000Z',
} as const;

export const DESCRIPTION: WorkerRigDescription = {
  region: 'uk',
  brand: 'NVIDIA',
  processor: 'AMD EPYC 9654',
  cores: 8,
  hostMemoryBytes: 1_024,
  devices: [{ name: 'NVIDIA T4', memoryBytes: 512 }],
  engines: [{ name: 'text', tasksMax: 4, models: [{ name: 'nano', sha256: 'ab'.repeat(32) }] }],
};

export const SPAN: HeardSpan = {
  heartbeats: 12,
  doneTasksTotal: 7,
  temperatureMaxC: 61.5,
  powerMeanW: 200,
};

/** So many minutes after the rig has registered. */
export const at = (minutes: number): string =>
  new Date(Date.parse('2026-11-22T06:00:01.000Z') + minutes * 60_000).toISOString();
