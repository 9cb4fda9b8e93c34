import { threadId, workerData } from 'node:worker_threads';
import { Bell } from './bell.js';
import { answerAtBell, portOfThread, requestListener } from './request-listener.js';

/** The worker of the spec of the channel. */
export type FixtureRequest =
  { readonly kind: 'echo'; readonly word: string } | { readonly kind: 'fail' | 'exit' | 'close' };

export type FixtureReply = string;

export interface FixtureData {
  readonly prefix: string;
  /** Of a thread without an event loop. */
  readonly bell?: SharedArrayBuffer;
}

const { prefix, bell } = workerData as FixtureData;

const reply = (request: FixtureRequest): FixtureReply => {
  switch (request.kind) {
    case 'echo':
      return `${prefix} ${request.word}`;
    case 'fail':
      throw new Error('the disk is on fire');
    case 'exit':
      return process.exit(3);
    case 'close':
      return 'closed';
  }
};

const port = portOfThread();
port.postMessage(`thread ${threadId > 0 ? 'started' : 'is the main thread'}`);
if (bell) answerAtBell(port, new Bell(bell), reply);
else port.on('message', requestListener(port, reply));
