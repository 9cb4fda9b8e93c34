/** The thread that looks at frames, away from the event loop of the process. */
import { workerData } from 'node:worker_threads';
import { answerTasks } from '#platform/threads/task-thread.js';
import { type LoadedVision, loadVisionModel } from './vision-model.js';
import { lookAt } from './look-task.js';
import { VisionEngineError } from './vision.errors.js';
import { type VisionTask } from './vision.protocol.js';

let loaded: LoadedVision | undefined;

answerTasks((task: VisionTask) => {
  loaded ??= loadVisionModel(workerData as readonly string[]);
  return lookAt(loaded, task);
}, VisionEngineError);
