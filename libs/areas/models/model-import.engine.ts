import {
  type ModelImportEnd,
  type ModelImportTask,
} from '#engines/model-import/model-import.protocol.js';

export { PARAMETERS_MAX } from '#engines/model-import/import-limits.js';
export {
  type ModelImportCode,
  ModelImportError,
} from '#engines/model-import/model-import.errors.js';
export {
  CHAT_TEMPLATES,
  type ChatTemplate,
  type ModelImportEnd,
  type ModelImportTask,
} from '#engines/model-import/model-import.protocol.js';

export interface OpenModelImportEngine {
  run(task: ModelImportTask, signal: AbortSignal): Promise<ModelImportEnd>;
  close(): Promise<void>;
}

/** Loaded on first use. It is no task: an upload goes to no worker before it is checked. */
export const openModelImportEngine = async (): Promise<OpenModelImportEngine> => {
  const { ModelImportEngine } = await import('#engines/model-import/model-import.engine.js');
  return new ModelImportEngine();
};
