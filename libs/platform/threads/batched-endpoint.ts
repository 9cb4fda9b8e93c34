import { type Endpoint } from './thread-calls.js';

/**
 * Sends the messages of one turn of the event loop as one: between processes each message is a
 * write, and costs more than its content. Both ends of a channel are batched, or none.
 */
export const batchedEndpoint = (endpoint: Endpoint): Endpoint => {
  let waiting: unknown[] = [];
  const flush = (): void => {
    const messages = waiting;
    waiting = [];
    endpoint.postMessage(messages);
  };
  return {
    postMessage: (message) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(message);
    },
    on: (event, listener) =>
      endpoint.on(event, (messages) => {
        for (const message of messages as readonly unknown[]) listener(message);
      }),
  };
};
