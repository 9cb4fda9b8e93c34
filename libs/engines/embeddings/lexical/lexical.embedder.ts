import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { type Embedder, type EmbedderRequest, faultOf } from '../embedder.js';
import { EmbeddingEngineError } from '../embeddings.errors.js';
import { type EmbeddedInput } from '../embeddings.protocol.js';
import { type LexicalReply, type LexicalRequest } from './lexical.worker.js';

/** Lexical models on a thread of their own, from the first request until `close`. */
export class LexicalEmbedder implements Embedder {
  #channel: WorkerChannel<LexicalRequest, LexicalReply> | null = null;
  #isClosed = false;

  async embed(request: EmbedderRequest): Promise<readonly EmbeddedInput[]> {
    const reply = await this.#ask({ kind: 'embed', ...request });
    if (reply === null) {
      const code = this.#isClosed ? 'closed' : 'crashed';
      throw new EmbeddingEngineError(code, `the thread of the embedding models has ${code}`);
    }
    if ('failure' in reply) throw faultOf(reply.failure, reply.message, reply.at);
    if ('fault' in reply) throw new Error(reply.fault);
    return reply.embedded;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  #ask(request: LexicalRequest): Promise<LexicalReply | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next request.
    if (this.#channel?.isOpen !== true) {
      this.#channel = new WorkerChannel(new URL('./lexical.worker.js', import.meta.url), null);
    }
    const channel = this.#channel;
    return new Promise((resolve) => channel.request(request, resolve));
  }
}
