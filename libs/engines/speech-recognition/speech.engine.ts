import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { SpeechEngineError } from './speech.errors.js';
import { type SpeechEnd, type SpeechInput } from './speech.protocol.js';
import { type SpeechReply, type SpeechRequest } from './speech.worker.js';

/** Hears windows of recordings on a thread of its own, from the first one until `close`. */
export class SpeechEngine {
  #channel: WorkerChannel<SpeechRequest, SpeechReply> | null = null;
  #isClosed = false;

  /** @param modelFolders the first that has the model counts */
  constructor(private readonly modelFolders: readonly string[]) {}

  /**
   * @throws SpeechEngineError
   * @throws the reason of the signal when it aborts; the thread then finishes the window, which
   *   takes a fraction of a second
   */
  async hear(input: SpeechInput, signal: AbortSignal): Promise<SpeechEnd> {
    signal.throwIfAborted();
    const reply = await this.#replyTo({ kind: 'hear', input });
    signal.throwIfAborted();
    if (reply === null) {
      const reason = this.#isClosed ? 'closed' : 'crashed';
      throw new SpeechEngineError(reason, `the thread of the speech engine has ${reason}`);
    }
    if ('failure' in reply) throw new SpeechEngineError(reply.failure, reply.message);
    if ('fault' in reply) throw new Error(reply.fault);
    return reply.end;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  #replyTo(request: SpeechRequest): Promise<SpeechReply | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next window.
    if (this.#channel?.isOpen !== true) {
      const source = new URL('./speech.worker.js', import.meta.url);
      this.#channel = new WorkerChannel(source, this.modelFolders);
    }
    const channel = this.#channel;
    return new Promise((resolve) => channel.request(request, resolve));
  }
}
