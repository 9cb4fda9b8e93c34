import { TaskThread } from '#platform/threads/task-thread.js';
import { ProofsError, type ProofsFailure } from './proofs.errors.js';
import { type ProofsEnd, type ProofsTask } from './proofs.protocol.js';

/** Verifies proofs on a thread of its own: 100 take a second or two. */
export class ProofsEngine extends TaskThread<ProofsTask, ProofsEnd, ProofsFailure> {
  constructor() {
    super(new URL('./proofs.worker.js', import.meta.url), ProofsError);
  }
}
