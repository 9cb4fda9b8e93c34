import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { HomomorphicError } from './homomorphic.errors.js';
import {
  type Evaluated,
  type Evaluation,
  type WorkerReply,
  type WorkerRequest,
} from './homomorphic.protocol.js';

/** Evaluation keys in memory: each takes about as much there as in its file. */
export const KEYS_LOADED_MAX = 2;

/** The keys of a client, by a name that stays the same while they do. */
export interface EvaluationKeys {
  readonly id: string;
  /** Reads the file of the keys; called when they are not in memory. */
  read(): Promise<Uint8Array>;
}

/** Evaluates on ciphertexts in a thread of its own, which starts with the first task. */
export class HomomorphicEngine {
  #channel: WorkerChannel<WorkerRequest, WorkerReply> | null = null;
  /** In the thread, in the order of their last use. */
  readonly #loaded = new Set<string>();
  /** Tasks take turns: keys that are loaded for one are not dropped by another. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @throws HomomorphicError; the errors of `keys.read` */
  run(keys: EvaluationKeys, evaluation: Evaluation, signal: AbortSignal): Promise<Evaluated> {
    const evaluated = this.#last.then(async () => {
      signal.throwIfAborted();
      await this.#load(keys);
      const reply = await this.#ask({ kind: 'evaluate', keys: keys.id, evaluation });
      if (reply.kind !== 'evaluated') throw new Error(`${reply.kind} is no evaluation`);
      return reply.evaluated;
    });
    this.#last = evaluated.catch(() => undefined);
    return evaluated;
  }

  /** Drops keys from memory. */
  async forget(keys: string): Promise<void> {
    if (!this.#loaded.delete(keys)) return;
    await this.#ask({ kind: 'forget', keys });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  async #load(keys: EvaluationKeys): Promise<void> {
    const { id } = keys;
    if (this.#channel?.isOpen !== true) this.#loaded.clear();
    if (!this.#loaded.delete(id)) {
      const bundle = await keys.read();
      const [oldest] = this.#loaded;
      if (this.#loaded.size >= KEYS_LOADED_MAX && oldest !== undefined) await this.forget(oldest);
      await this.#ask({ kind: 'load', keys: id, bundle });
    }
    this.#loaded.add(id);
  }

  /** @throws HomomorphicError; Error for a defect */
  async #ask(request: WorkerRequest): Promise<WorkerReply> {
    const reply = await this.#replyTo(request);
    if (reply === null) {
      const reason = this.#isClosed ? 'closed' : 'crashed';
      throw new HomomorphicError(reason, `the thread of the homomorphic engine has ${reason}`);
    }
    if (reply.kind === 'failed') throw new HomomorphicError(reply.code, reply.message);
    if (reply.kind === 'fault') throw new Error(reply.message);
    return reply;
  }

  #replyTo(request: WorkerRequest): Promise<WorkerReply | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next task.
    if (this.#channel?.isOpen !== true) {
      const file = new URL('./homomorphic.worker.js', import.meta.url);
      this.#channel = new WorkerChannel(file, null);
    }
    const channel = this.#channel;
    return new Promise((resolve) => channel.request(request, resolve));
  }
}
