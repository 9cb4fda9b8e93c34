import 'reflect-metadata';
import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { runProcess } = await import('./run-process.js');
const { startDtnNode } = await import('./dtn-node.process.js');

runProcess(async (settings, logger) => {
  const { node, port, stop } = await startDtnNode(settings, logger);
  const taken = port === null ? 'takes no links' : `takes links at port ${port}`;
  return { greeting: `The node ${node} is ready and ${taken}\n`, stop };
});
