import { TaskThread } from '#platform/threads/task-thread.js';
import { ImageEngineError, type ImageFailure } from './image-diffusion.errors.js';
import { type ImageEnd, type ImageTask } from './image-diffusion.protocol.js';

/** Draws pictures on a thread of its own, which loads the model for the first of them. */
export class ImageDiffusionEngine extends TaskThread<ImageTask, ImageEnd, ImageFailure> {
  /** @param modelFolders the first one with the model counts */
  constructor(modelFolders: readonly string[]) {
    super(new URL('./image-diffusion.worker.js', import.meta.url), ImageEngineError, modelFolders);
  }
}
