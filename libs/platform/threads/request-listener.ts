import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { type Bell } from './bell.js';

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

/**
 * As `requestListener`, for a thread that has nothing else to do: it blocks between requests, so
 * timers and other events of its loop wait until `close`, when this returns.
 * @param reply takes the requests of the channel
 */
export const answerAtBell = (
  port: MessagePort,
  bell: Bell,
  reply: (request: never) => unknown,
): void => {
  for (let heard = 0; ; heard = bell.wait(heard)) {
    for (let next = receive(port); next !== undefined; next = receive(port)) {
      port.postMessage(reply(next as never));
      if (next.kind === 'close') {
        port.close();
        return;
      }
    }
  }
};

const receive = (port: MessagePort): { readonly kind: string } | undefined =>
  (receiveMessageOnPort(port) as { readonly message: { readonly kind: string } } | undefined)
    ?.message;
