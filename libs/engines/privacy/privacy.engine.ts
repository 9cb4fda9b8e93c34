import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { type PrivacyAnswer, type PrivacyTask } from './privacy.protocol.js';
import { type WorkerReply, type WorkerRequest } from './privacy.worker.js';

/** The thread ended before the answer, or failed; no noise has left it. */
export class PrivacyEngineError extends Error {
  override readonly name = 'PrivacyEngineError';
}

/**
 * Answers queries on a thread of this process, from the first task until `close`. Rows go to no
 * other process.
 */
export class PrivacyEngine {
  #channel: WorkerChannel<WorkerRequest, WorkerReply> | null = null;
  #isClosed = false;

  /**
   * @throws PrivacyEngineError
   * @throws the reason of the signal when it aborts; the thread then finishes for nothing
   */
  async run(task: PrivacyTask, signal: AbortSignal): Promise<PrivacyAnswer> {
    signal.throwIfAborted();
    const reply = await this.#replyTo({ kind: 'run', task });
    signal.throwIfAborted();
    if (reply === null) throw new PrivacyEngineError('the thread of the privacy engine has ended');
    if ('fault' in reply) throw new PrivacyEngineError('the computation of an answer failed');
    return reply.answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  #replyTo(request: WorkerRequest): Promise<WorkerReply | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next task.
    if (this.#channel?.isOpen !== true) {
      this.#channel = new WorkerChannel(new URL('./privacy.worker.js', import.meta.url), null);
    }
    const channel = this.#channel;
    return new Promise((resolve) => channel.request(request, resolve));
  }
}
