/** The thread of one training. */
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { train } from './run/training-run.js';
import { type TrainingEnd, type TrainingPiece, type TrainingTask } from './training.protocol.js';

export type FromTraining =
  | { readonly kind: 'piece'; readonly piece: TrainingPiece }
  | { readonly kind: 'end'; readonly end: TrainingEnd }
  | { readonly kind: 'failed'; readonly code: string | null; readonly message: string };

const port = portOfThread();
const send = (message: FromTraining): void => port.postMessage(message);

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

try {
  const pieces = train(workerData as TrainingTask);
  let next = await pieces.next();
  for (; !next.done; next = await pieces.next()) send({ kind: 'piece', piece: next.value });
  send({ kind: 'end', end: next.value });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  send({ kind: 'failed', code: codeOf(error), message });
}
