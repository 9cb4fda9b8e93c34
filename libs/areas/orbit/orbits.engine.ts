import { epochMsOf, MeanElements, OrbitElements, TwoLines } from '#engines/orbits/elements.js';
import { ORBITS_FAILURES } from '#engines/orbits/orbits.errors.js';
import {
  OrbitEnd,
  OrbitTask,
  type Pass,
  type PassPoint,
  POINTS_MAX,
  type SkyPoint,
  type TrackPoint,
  WINDOW_DAYS_MAX,
} from '#engines/orbits/orbits.protocol.js';
import { z } from 'zod';
import { defineEngine, type Engine } from '#platform/tasks/engine.js';

export {
  epochMsOf,
  MeanElements,
  OrbitElements,
  type OrbitEnd,
  type OrbitTask,
  type Pass,
  type PassPoint,
  POINTS_MAX,
  type SkyPoint,
  type TrackPoint,
  TwoLines,
  WINDOW_DAYS_MAX,
};

/** Orbits: one search or one path is one task. */
export const orbitsEngine = defineEngine<OrbitTask, never, OrbitEnd>({
  name: 'orbits',
  input: OrbitTask,
  piece: z.never(),
  end: OrbitEnd,
  tasksMax: { worker: 32, inProcess: 64 },
  failures: ORBITS_FAILURES,
  canRunHere: () => Promise.resolve(null),
  open: async (): Promise<Engine<OrbitTask, never, OrbitEnd>> => {
    const { OrbitsEngine } = await import('#engines/orbits/orbits.engine.js');
    const engine = new OrbitsEngine();
    return {
      async *run(task, signal) {
        return engine.run(task, signal);
      },
      status: () => ({ ready: true, reasons: [], facts: { tasks: engine.tasks } }),
      close: () => engine.close(),
    };
  },
});
