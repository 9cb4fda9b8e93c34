import { type MessagePort, parentPort } from 'node:worker_threads';

/** The port to the thread that started this one. @throws Error on the main thread */
export const portOfThread = (): MessagePort => {
  if (parentPort === null) throw new Error('this file runs as a worker thread');
  return parentPort;
};

/** The worker's side of a `WorkerChannel`: replies at once; `close` is the last request. */
export const requestListener =
  <Request extends { readonly kind: string }>(
    port: MessagePort,
    reply: (request: Request) => unknown,
  ) =>
  (request: Request): void => {
    port.postMessage(reply(request));
    if (request.kind === 'close') port.close();
  };
