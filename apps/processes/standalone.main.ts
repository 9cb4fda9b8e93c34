import 'reflect-metadata';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { runProcess } = await import('./run-process.js');
const { greetingOf } = await import('./greeting.js');
const { firstChatModel } = await import('../composition/first-chat-model.js');
const { startStandaloneGroup } = await import('./standalone.group.js');
const { startStandalone } = await import('./standalone.process.js');

runProcess(async (settings, logger) => {
  const projector = settings.hasProjectorThread ? 'in-thread' : 'here';
  const standalone =
    settings.processes > 1
      ? await startStandaloneGroup(settings, logger)
      : await startStandalone(settings, logger, { projector });
  const model = await firstChatModel(settings);
  return { ...standalone, greeting: greetingOf(standalone, model, process.stdout.isTTY) };
});
