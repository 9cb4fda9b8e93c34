import 'reflect-metadata';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { runProcess } = await import('./run-process.js');
const { firstChatModel } = await import('../composition/first-chat-model.js');
const { startGateway } = await import('./gateway.process.js');
const { greetingOf } = await import('./greeting.js');

runProcess(async (settings, logger) => {
  const gateway = await startGateway(settings, logger, { subscriptions: 'elsewhere' });
  const model = await firstChatModel(settings);
  return { ...gateway, greeting: greetingOf(gateway, model, process.stdout.isTTY) };
});
