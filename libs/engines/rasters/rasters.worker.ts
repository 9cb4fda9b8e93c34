/** The thread that reads rasters, away from the event loop of the process. */
import { answerTasks } from '#platform/threads/task-thread.js';
import { runRasterTask } from './raster-task.js';
import { RastersError } from './rasters.errors.js';

answerTasks(runRasterTask, RastersError);
