import 'reflect-metadata';
import { runProcess } from './run-process.js';
import { startGateway } from './gateway.process.js';
import { greetingOf } from './greeting.js';

runProcess(async (settings, logger) => {
  const gateway = await startGateway(settings, logger, { subscriptions: 'elsewhere' });
  return { ...gateway, greeting: greetingOf(gateway, process.stdout.isTTY) };
});
