import { TaskThread } from '#platform/threads/task-thread.js';
import { OrbitsError, type OrbitsFailure } from './orbits.errors.js';
import { type OrbitEnd, type OrbitTask } from './orbits.protocol.js';

/** Propagates orbits on a thread of its own; a task takes a fraction of a second. */
export class OrbitsEngine extends TaskThread<OrbitTask, OrbitEnd, OrbitsFailure> {
  constructor() {
    super(new URL('./orbits.worker.js', import.meta.url), OrbitsError);
  }
}
