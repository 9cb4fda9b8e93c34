import 'reflect-metadata';
import { runProcess } from '../composition/process.js';
import { startGateway } from './start/gateway.process.js';
import { greetingOf } from './start/greeting.js';

runProcess(async (settings, logger) => {
  const gateway = await startGateway(settings, logger, 'elsewhere');
  return { ...gateway, greeting: greetingOf(gateway) };
});
