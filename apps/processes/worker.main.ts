import 'reflect-metadata';
import { areas } from '../composition/areas.js';
import { runProcess } from './run-process.js';
import { startWorkerProcess } from './worker.process.js';

runProcess(async (settings, logger) => {
  const worker = await startWorkerProcess(settings, logger, areas);
  return { greeting: `A Quipu worker is ready at ${worker.url}\n`, stop: () => worker.stop() };
});
