import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { applyDelta, type DeltaFiles } from './apply-delta.js';
import { DeltaError } from './delta.error.js';
import { type DeltaReply } from './delta-thread.js';

/** Applies one delta and ends. */
const reply = (): DeltaReply => {
  try {
    return { applied: applyDelta(workerData as DeltaFiles) };
  } catch (error) {
    if (error instanceof DeltaError) return { code: error.code, message: error.message };
    throw error;
  }
};

portOfThread().postMessage(reply());
