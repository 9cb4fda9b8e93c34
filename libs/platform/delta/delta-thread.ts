import { Worker } from 'node:worker_threads';
import { type AppliedDelta, type DeltaFiles } from './apply-delta.js';
import { DeltaError, type DeltaErrorCode } from './delta.error.js';

/** A message of the thread. */
export type DeltaReply =
  { readonly applied: AppliedDelta } | { readonly code: DeltaErrorCode; readonly message: string };

/** A window, its sections, the pages of the base and the blocks of bzip2 are outside this heap. */
const HEAP_MB_MAX = 64;

/**
 * Applies a delta in a thread of its own.
 * @param signal ends the thread; the promise then rejects with its reason
 * @throws DeltaError; an error of the file system
 */
export const applyDeltaInThread = (files: DeltaFiles, signal: AbortSignal): Promise<AppliedDelta> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(new URL('./delta.worker.js', import.meta.url), {
      workerData: files,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    const stop = (): void => {
      void worker.terminate();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', (reply: DeltaReply) => {
      if ('applied' in reply) resolve(reply.applied);
      else reject(new DeltaError(reply.code, reply.message));
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('the thread that applies a delta ended without an answer'));
    });
  });
