/** The thread that reads uploaded models, away from the event loop of the process. */
import { answerTasks } from '#platform/threads/task-thread.js';
import { importModel } from './import-model.js';
import { ModelImportError } from './model-import.errors.js';

answerTasks(importModel, ModelImportError);
