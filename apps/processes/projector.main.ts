import 'reflect-metadata';
import os from 'node:os';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { runProcess } = await import('./run-process.js');
const { startProjector } = await import('./projector.process.js');

// On a shared machine, gateways get the CPU first: their callers wait, and projections catch up.
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);

runProcess(async (settings, logger) => {
  const projector = await startProjector(settings, logger);
  const greeting = `Quipu's projector is ready at ${projector.url}\n`;
  return { greeting, stop: () => projector.stop() };
});
