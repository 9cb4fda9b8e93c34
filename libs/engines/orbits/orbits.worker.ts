/** The thread that propagates orbits, away from the event loop of the process. */
import { answerTasks } from '#platform/threads/task-thread.js';
import { runOrbitTask } from './orbit-task.js';
import { OrbitsError } from './orbits.errors.js';

answerTasks(runOrbitTask, OrbitsError);
