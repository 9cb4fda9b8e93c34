import 'reflect-metadata';
import { runProcess } from './run-process.js';
import { greetingOf } from './greeting.js';
import { startStandalone } from './standalone.process.js';

runProcess(async (settings, logger) => {
  const standalone = await startStandalone(settings, logger);
  return { ...standalone, greeting: greetingOf(standalone) };
});
