import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { OrbitsError } from './orbits.errors.js';
import { type OrbitEnd, type OrbitTask } from './orbits.protocol.js';
import { type WorkerReply, type WorkerRequest } from './orbits.worker.js';

/** Propagates orbits on a thread of its own, from the first task until `close`. */
export class OrbitsEngine {
  #channel: WorkerChannel<WorkerRequest, WorkerReply> | null = null;
  #isClosed = false;
  #tasks = 0;

  /** Tasks since the start. */
  get tasks(): number {
    return this.#tasks;
  }

  /**
   * @throws OrbitsError
   * @throws the reason of the signal when it aborts; the thread then finishes the task for nothing,
   * which takes a fraction of a second
   */
  async run(task: OrbitTask, signal: AbortSignal): Promise<OrbitEnd> {
    signal.throwIfAborted();
    const reply = await this.#replyTo({ kind: 'run', task });
    signal.throwIfAborted();
    if (reply === null) {
      const reason = this.#isClosed ? 'closed' : 'crashed';
      throw new OrbitsError(reason, `the thread of the orbits engine has ${reason}`);
    }
    if ('failure' in reply) throw new OrbitsError(reply.failure, reply.message);
    if ('fault' in reply) throw new Error(reply.fault);
    this.#tasks += 1;
    return reply.end;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  #replyTo(request: WorkerRequest): Promise<WorkerReply | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next task.
    if (this.#channel?.isOpen !== true) {
      this.#channel = new WorkerChannel(new URL('./orbits.worker.js', import.meta.url), null);
    }
    const channel = this.#channel;
    return new Promise((resolve) => channel.request(request, resolve));
  }
}
