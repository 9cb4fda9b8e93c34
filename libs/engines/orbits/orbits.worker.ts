/** The thread that propagates orbits, away from the event loop of the process. */
import { portOfThread } from '#platform/threads/request-listener.js';
import { runOrbitTask } from './orbit-task.js';
import { OrbitsError, type OrbitsFailure } from './orbits.errors.js';
import { type OrbitEnd, type OrbitTask } from './orbits.protocol.js';

export type WorkerRequest =
  { readonly kind: 'run'; readonly task: OrbitTask } | { readonly kind: 'close' };

export type WorkerReply =
  | { readonly end: OrbitEnd }
  | { readonly failure: OrbitsFailure; readonly message: string }
  | { readonly fault: string };

const port = portOfThread();

const replyTo = (task: OrbitTask): WorkerReply => {
  try {
    return { end: runOrbitTask(task) };
  } catch (error) {
    if (error instanceof OrbitsError) return { failure: error.code, message: error.message };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

port.on('message', (request: WorkerRequest) => {
  if (request.kind === 'close') port.close();
  else port.postMessage(replyTo(request.task));
});
