import 'reflect-metadata';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { areas } = await import('../composition/areas.js');
const { runProcess } = await import('./run-process.js');
const { startWorkerProcess } = await import('./worker.process.js');

runProcess(async (settings, logger) => {
  const worker = await startWorkerProcess(settings, logger, areas);
  return { greeting: `A Quipu worker is ready at ${worker.url}\n`, stop: () => worker.stop() };
});
