import { TaskThread } from '#platform/threads/task-thread.js';
import { SpeechEngineError, type SpeechFailure } from './speech.errors.js';
import { type SpeechEnd, type SpeechInput } from './speech.protocol.js';

/** Hears windows of recordings. */
export class SpeechEngine extends TaskThread<SpeechInput, SpeechEnd, SpeechFailure> {
  /** @param modelFolders the first that has the model counts */
  constructor(modelFolders: readonly string[]) {
    super(new URL('./speech.worker.js', import.meta.url), SpeechEngineError, modelFolders);
  }
}
