/** A gateway of a group: it shares its port with others, and the first process projects for it. */
import 'reflect-metadata';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { joinGroup } = await import('./group-gateway.js');
const { runProcess } = await import('./run-process.js');

// Without its leader it has no port: it drains and ends.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

runProcess(async (settings, logger) => {
  const gateway = await joinGroup(settings, logger);
  return { greeting: '', stop: () => gateway.stop() };
});
