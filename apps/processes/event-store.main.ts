import 'reflect-metadata';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { runProcess } = await import('./run-process.js');
const { startEventStore } = await import('./event-store.process.js');

runProcess(async (settings, logger) => {
  const node = await startEventStore(settings, logger);
  const { grpcPort, url } = node;
  const served = `Quipu's event store is served at port ${grpcPort}`;
  const greeting = `${served}; health and metrics are at ${url}\n`;
  return { greeting, stop: () => node.stop() };
});
