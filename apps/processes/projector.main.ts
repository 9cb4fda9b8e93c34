import 'reflect-metadata';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { runProcess } = await import('./run-process.js');
const { startProjector } = await import('./projector.process.js');

runProcess(async (settings, logger) => {
  const projector = await startProjector(settings, logger);
  const greeting = `Quipu's projector is ready at ${projector.url}\n`;
  return { greeting, stop: () => projector.stop() };
});
