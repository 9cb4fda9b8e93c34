/** The thread that runs the networks, away from the event loop of the process. */
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { SpikingEngineError, type SpikingFailure } from './spiking.engine.errors.js';
import { SpikingRunner } from './spiking-runner.js';
import {
  type SpikingBatch,
  type SpikingEnd,
  type SpikingInput,
  type SpikingOutcome,
} from './spiking.protocol.js';

export type WorkerRequest =
  | { readonly kind: 'run'; readonly input: SpikingInput }
  | { readonly kind: 'run-many'; readonly batch: SpikingBatch }
  | { readonly kind: 'close' };

export type WorkerReply =
  | { readonly end: SpikingEnd }
  | { readonly outcomes: readonly SpikingOutcome[] }
  | { readonly failure: SpikingFailure; readonly message: string }
  | { readonly fault: string };

const port = portOfThread();
const runner = new SpikingRunner(workerData as readonly string[]);

type WorkRequest = Exclude<WorkerRequest, { readonly kind: 'close' }>;

const replyTo = async (request: WorkRequest): Promise<WorkerReply> => {
  try {
    return request.kind === 'run'
      ? { end: await runner.run(request.input) }
      : { outcomes: await runner.runMany(request.batch) };
  } catch (error) {
    if (error instanceof SpikingEngineError) return { failure: error.code, message: error.message };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

// Requests are answered in their order, which is how the calling side tells replies apart.
let last: Promise<void> = Promise.resolve();
port.on('message', (request: WorkerRequest) => {
  last = last.then(async () => {
    if (request.kind === 'close') port.close();
    else port.postMessage(await replyTo(request));
  });
});
