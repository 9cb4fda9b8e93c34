/** The thread that verifies proofs, away from the event loop of the process. */
import { answerTasks } from '#platform/threads/task-thread.js';
import { ProofsError } from './proofs.errors.js';
import { runProofsTask } from './verify-claims.js';

answerTasks(runProofsTask, ProofsError);
