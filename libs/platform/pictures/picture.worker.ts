/** The thread that reads and writes pictures. A file that ends it ends nothing else. */
import { answerTasks } from '../threads/task-thread.js';
import { PictureError } from './picture.js';
import { runPictureTask } from './picture-task.js';

answerTasks(runPictureTask, PictureError);
