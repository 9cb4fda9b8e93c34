import 'reflect-metadata';
import { runProcess } from './run-process.js';
import { greetingOf } from './greeting.js';
import { startStandaloneGroup } from './standalone.group.js';
import { startStandalone } from './standalone.process.js';

runProcess(async (settings, logger) => {
  const projector = settings.hasProjectorThread ? 'in-thread' : 'here';
  const standalone =
    settings.processes > 1
      ? await startStandaloneGroup(settings, logger)
      : await startStandalone(settings, logger, { projector });
  return { ...standalone, greeting: greetingOf(standalone, process.stdout.isTTY) };
});
