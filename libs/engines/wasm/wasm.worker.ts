import { parentPort, workerData } from 'node:worker_threads';
import { type ThreadStart } from './wasm-thread.js';
import { lowerOwnPriority } from './thread-priority.js';
import { WasmError } from './wasm.errors.js';
import { runModule } from './wasm-run.js';

lowerOwnPriority();

/** A thread runs one module and ends: nothing of one run is left to the next. */
const port = parentPort;
if (!port) throw new Error('this file runs in a worker thread');
const { shared } = workerData as ThreadStart;

port.once('message', (task: Parameters<typeof runModule>[0]) => {
  port.postMessage({ type: 'started' });
  try {
    port.postMessage({ type: 'ended', end: runModule(task, new BigInt64Array(shared)) });
  } catch (error) {
    if (!(error instanceof WasmError)) throw error;
    port.postMessage({ type: 'failed', code: error.code, message: error.message });
  }
});
