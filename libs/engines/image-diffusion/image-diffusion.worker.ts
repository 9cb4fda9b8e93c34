/** The thread that draws pictures, away from the event loop of the process. */
import { workerData } from 'node:worker_threads';
import { answerTasks } from '#platform/threads/task-thread.js';
import { drawTask } from './draw-task.js';
import { ImageEngineError } from './image-diffusion.errors.js';
import { type ImageTask } from './image-diffusion.protocol.js';
import { type LoadedModel, loadModel } from './model.js';

let loaded: LoadedModel | undefined;

answerTasks((task: ImageTask) => {
  loaded ??= loadModel(workerData as readonly string[]);
  return drawTask(loaded, task);
}, ImageEngineError);
