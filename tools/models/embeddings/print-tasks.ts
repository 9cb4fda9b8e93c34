/** Prints the held-out retrieval tasks as JSON, for programs that score other models on them. */
import { retrievalTasks } from './retrieval.js';
import { tasksSha256 } from './retrieval.report.js';

const tasks = retrievalTasks();
process.stdout.write(JSON.stringify({ tasksSha256: tasksSha256(tasks), tasks }));
