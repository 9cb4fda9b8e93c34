import { TaskThread } from '#platform/threads/task-thread.js';
import { VisionEngineError, type VisionFailure } from './vision.errors.js';
import { type VisionEnd, type VisionTask } from './vision.protocol.js';

/** Looks at frames on a thread of its own, which loads the model for the first of them. */
export class VisionEngine extends TaskThread<VisionTask, VisionEnd, VisionFailure> {
  /** @param modelFolders the first one with the model counts */
  constructor(modelFolders: readonly string[]) {
    super(new URL('./vision.worker.js', import.meta.url), VisionEngineError, modelFolders);
  }
}
