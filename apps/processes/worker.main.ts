import 'reflect-metadata';
import { runProcess } from './run-process.js';
import { startWorkerProcess } from './worker.process.js';

runProcess(async (settings, logger) => {
  const worker = await startWorkerProcess(settings, logger);
  return { greeting: `A Quipu worker is ready at ${worker.url}\n`, stop: () => worker.stop() };
});
