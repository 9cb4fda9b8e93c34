import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { type SpikingModelCard } from './model-card.js';
import { storedModels } from './model-store.js';
import { SpikingEngineError } from './spiking.engine.errors.js';
import { type SpikingEnd, type SpikingInput } from './spiking.protocol.js';
import { type WorkerReply, type WorkerRequest } from './spiking.worker.js';

/** The cards of the networks under these folders. Loads no weights and starts no thread. */
export const spikingCatalog = async (
  modelFolders: readonly string[],
): Promise<readonly SpikingModelCard[]> =>
  (await storedModels(modelFolders)).map(({ card }) => card);

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
    const reply = await this.#ask(input);
    signal.throwIfAborted();
    if (reply === null) {
      const reason = this.#isClosed ? 'closed' : 'crashed';
      throw new SpikingEngineError(reason, `the thread of the spiking engine has ${reason}`);
    }
    if ('failure' in reply) throw new SpikingEngineError(reply.failure, reply.message);
    if ('fault' in reply) throw new Error(reply.fault);
    this.#runs += 1;
    return reply.end;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  #ask(input: SpikingInput): Promise<WorkerReply | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next run.
    if (this.#channel?.isOpen !== true) {
      this.#channel = new WorkerChannel(
        new URL('./spiking.worker.js', import.meta.url),
        this.modelFolders,
      );
    }
    const channel = this.#channel;
    return new Promise((resolve) => channel.request({ kind: 'run', input }, resolve));
  }
}
