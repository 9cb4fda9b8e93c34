import { TaskThread } from '#platform/threads/task-thread.js';
import { RastersError, type RastersFailure } from './rasters.errors.js';
import { type RasterEnd, type RasterTask } from './rasters.protocol.js';

/** Reads rasters on a thread of its own. */
export class RastersEngine extends TaskThread<RasterTask, RasterEnd, RastersFailure> {
  constructor() {
    super(new URL('./rasters.worker.js', import.meta.url), RastersError);
  }
}
