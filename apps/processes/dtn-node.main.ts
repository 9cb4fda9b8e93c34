import 'reflect-metadata';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { runProcess } = await import('./run-process.js');
const { startDtnNode } = await import('./dtn-node.process.js');

runProcess(async (settings, logger) => {
  const started = await startDtnNode(settings, logger);
  const { node, publicKey, port } = started;
  const taken = port === null ? 'takes no links' : `takes links at port ${port}`;
  const greeting = `The node ${node} is ready and ${taken}\nIts key is ${publicKey}\n`;
  return { greeting, stop: () => started.stop() };
});
