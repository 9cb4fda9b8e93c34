import { TaskThread } from '#platform/threads/task-thread.js';
import { type ModelImportCode, ModelImportError } from './model-import.errors.js';
import { type ModelImportEnd, type ModelImportTask } from './model-import.protocol.js';

/** Reads uploaded models on a thread of its own. */
export class ModelImportEngine extends TaskThread<
  ModelImportTask,
  ModelImportEnd,
  ModelImportCode
> {
  constructor() {
    super(new URL('./model-import.worker.js', import.meta.url), ModelImportError);
  }
}
