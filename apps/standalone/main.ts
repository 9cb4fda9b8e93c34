import 'reflect-metadata';
import { runProcess } from '../composition/process.js';
import { greetingOf } from '../gateway/start/greeting.js';
import { startStandalone } from './standalone.js';

runProcess(async (settings, logger) => {
  const standalone = await startStandalone(settings, logger);
  return { ...standalone, greeting: greetingOf(standalone) };
});
