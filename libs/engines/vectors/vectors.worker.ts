/** The thread that has the vectors, away from the event loop of the process. */
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { VectorPartitions } from './vector-partitions.js';
import { type PartitionChange, type VectorAnswer, type VectorQuery } from './vectors.protocol.js';

export type VectorsRequest =
  | { readonly kind: 'change'; readonly change: PartitionChange }
  | { readonly kind: 'drop'; readonly partition: string }
  | { readonly kind: 'search'; readonly query: VectorQuery }
  | { readonly kind: 'close' };

export type VectorsReply =
  { readonly done: true } | { readonly answer: VectorAnswer } | { readonly fault: string };

const port = portOfThread();
const { exactRowsMax } = workerData as { readonly exactRowsMax: number };
const partitions = new VectorPartitions(exactRowsMax);

/** Of the building of graphs between two requests. */
const SLICE_MS = 5;
let isWorking = false;
let isClosed = false;

const work = (): void => {
  isWorking = !isClosed && partitions.work(performance.now() + SLICE_MS);
  if (isWorking) setImmediate(work);
};

const replyTo = (request: Exclude<VectorsRequest, { readonly kind: 'close' }>): VectorsReply => {
  try {
    switch (request.kind) {
      case 'search':
        return { answer: partitions.search(request.query) };
      case 'change':
        partitions.change(request.change);
        return { done: true };
      case 'drop':
        partitions.drop(request.partition);
        return { done: true };
    }
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

port.on('message', (request: VectorsRequest) => {
  if (request.kind === 'close') {
    isClosed = true;
    port.close();
    return;
  }
  port.postMessage(replyTo(request));
  if (!isWorking && request.kind === 'change') {
    isWorking = true;
    setImmediate(work);
  }
});
