import 'reflect-metadata';
import os from 'node:os';
import { runProcess } from './run-process.js';
import { startProjector } from './projector.process.js';

// Where processes share a machine, gateways go first: somebody waits for what they do. What is left
// undone here is caught up with.
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);

runProcess(async (settings, logger) => {
  const projector = await startProjector(settings, logger);
  const greeting = `Quipu's projector is ready at ${projector.url}\n`;
  return { greeting, stop: () => projector.stop() };
});
