import 'reflect-metadata';
import { runProcess } from '../composition/process.js';
import { startProjector } from './projector.js';

runProcess(async (settings, logger) => {
  const projector = await startProjector(settings, logger);
  const greeting = `Quipu's projector is ready at ${projector.url}\n`;
  return { greeting, stop: () => projector.stop() };
});
