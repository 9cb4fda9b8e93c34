import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { type SpikingModelCard } from './model-card.js';
import { storedModels } from './model-store.js';
import { SpikingEngineError } from './spiking.engine.errors.js';
import {
  type SpikingBatch,
  type SpikingEnd,
  type SpikingInput,
  type SpikingOutcome,
} from './spiking.protocol.js';
import { type WorkerReply, type WorkerRequest } from './spiking.worker.js';

/** The cards of the networks under these folders. Loads no weights and starts no thread. */
export const spikingCatalog = async (
  modelFolders: readonly string[],
): Promise<readonly SpikingModelCard[]> =>
  (await storedModels(modelFolders)).map(({ card }) => card);

type FinishedReply = Extract<
  WorkerReply,
  { readonly end: SpikingEnd } | { readonly outcomes: readonly SpikingOutcome[] }
>;

/** Runs spiking networks on a thread of its own, from the first run until `close`. */
export class SpikingEngine {
  #channel: WorkerChannel<WorkerRequest, WorkerReply> | null = null;
  #isClosed = false;
  #runs = 0;

  constructor(private readonly modelFolders: readonly string[]) {}

  /** Runs since the start. */
  get runs(): number {
    return this.#runs;
  }

  /**
   * @throws SpikingEngineError
   * @throws the reason of the signal when it aborts; the thread then finishes the run for nothing,
   * which takes milliseconds
   */
  async run(input: SpikingInput, signal: AbortSignal): Promise<SpikingEnd> {
    signal.throwIfAborted();
    const reply = await this.#ask({ kind: 'run', input });
    signal.throwIfAborted();
    if (!('end' in reply)) throw new Error('the thread has answered another request');
    this.#runs += 1;
    return reply.end;
  }

  /**
   * Runs several inputs of one network, with one message each way. What has run by the time the
   * signal aborts is an outcome: an input that was worked on is never run again.
   * @throws SpikingEngineError for a network that cannot run
   */
  async runMany(batch: SpikingBatch, signal: AbortSignal): Promise<readonly SpikingOutcome[]> {
    signal.throwIfAborted();
    const reply = await this.#ask({ kind: 'run-many', batch });
    if (!('outcomes' in reply)) throw new Error('the thread has answered another request');
    this.#runs += reply.outcomes.length;
    return reply.outcomes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  async #ask(request: WorkerRequest): Promise<FinishedReply> {
    const reply = await this.#replyTo(request);
    if (reply === null) {
      const reason = this.#isClosed ? 'closed' : 'crashed';
      throw new SpikingEngineError(reason, `the thread of the spiking engine has ${reason}`);
    }
    if ('failure' in reply) throw new SpikingEngineError(reply.failure, reply.message);
    if ('fault' in reply) throw new Error(reply.fault);
    return reply;
  }

  #replyTo(request: WorkerRequest): Promise<WorkerReply | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next run.
    if (this.#channel?.isOpen !== true) {
      this.#channel = new WorkerChannel(
        new URL('./spiking.worker.js', import.meta.url),
        this.modelFolders,
      );
    }
    const channel = this.#channel;
    return new Promise((resolve) => channel.request(request, resolve));
  }
}
