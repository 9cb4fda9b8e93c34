import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { VectorsError } from './vectors.errors.js';
import { type PartitionChange, type VectorAnswer, type VectorQuery } from './vectors.protocol.js';
import { type VectorsReply, type VectorsRequest } from './vectors.worker.js';

/** Vectors in the memory of a thread, from the first request until `close`. */
export class VectorsEngine {
  #channel: WorkerChannel<VectorsRequest, VectorsReply> | null = null;
  #isClosed = false;
  #generation = 0;

  /** @param exactRowsMax the largest partition that gets no graph */
  constructor(private readonly exactRowsMax: number) {}

  /** Of the thread: another number means that its partitions are empty. */
  get generation(): number {
    return this.#channel?.isOpen === true ? this.#generation : this.#generation + 1;
  }

  /** @throws VectorsError, as every method does where the thread has ended */
  async change(change: PartitionChange): Promise<void> {
    await this.#ask({ kind: 'change', change });
  }

  async drop(partition: string): Promise<void> {
    await this.#ask({ kind: 'drop', partition });
  }

  async search(query: VectorQuery): Promise<VectorAnswer> {
    const reply = await this.#ask({ kind: 'search', query });
    if ('answer' in reply) return reply.answer;
    throw new VectorsError('crashed', 'the thread of the vectors has no answer');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  async #ask(request: VectorsRequest): Promise<VectorsReply> {
    const reply = await this.#replyTo(request);
    if (reply === null) {
      const code = this.#isClosed ? 'closed' : 'crashed';
      throw new VectorsError(code, `the thread of the vectors has ${code}`);
    }
    if ('fault' in reply) throw new Error(reply.fault);
    return reply;
  }

  #replyTo(request: VectorsRequest): Promise<VectorsReply | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next request.
    if (this.#channel?.isOpen !== true) {
      this.#generation += 1;
      const { exactRowsMax } = this;
      const worker = new URL('./vectors.worker.js', import.meta.url);
      this.#channel = new WorkerChannel(worker, { exactRowsMax });
    }
    const channel = this.#channel;
    return new Promise((resolve) => channel.request(request, resolve));
  }
}
