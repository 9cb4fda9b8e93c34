import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AnswerStoreError } from '../answer-store.errors.js';
import {
  type AnswersReply,
  type AnswersRequest,
  type AnswersSettings,
  type FailedReply,
  type ReplyTo,
} from './answers.protocol.js';

/** Compiled, this file and the other end in `.js`; under Jest both are still `.ts`. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './answers.worker.ts' : './answers.worker.js',
  import.meta.url,
);

interface Waiting {
  readonly resolve: (reply: Exclude<AnswersReply, FailedReply>) => void;
  readonly reject: (error: AnswerStoreError) => void;
}

/** The thread that keeps the answers. Requests are answered in the order they were made. */
export class AnswersThread {
  readonly #file: string;
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #ended = false;

  private constructor(settings: AnswersSettings) {
    this.#file = settings.file;
    this.#worker = new Worker(WORKER, { workerData: settings });
    this.#worker.on('message', (reply: AnswersReply) => this.#hear(reply));
    // An error is always followed by the exit, which tells those who wait.
    this.#worker.on('error', () => (this.#ended = true));
    this.#worker.on('exit', () => this.#bury());
  }

  /** @throws AnswerStoreError `store-unavailable` or `store-unreadable` */
  static async start(settings: AnswersSettings): Promise<AnswersThread> {
    const thread = new AnswersThread(settings);
    await new Promise((resolve, reject) => thread.#waiting.push({ resolve, reject }));
    return thread;
  }

  /** @throws AnswerStoreError `store-unavailable` or `store-unreadable` */
  async request<Kind extends keyof ReplyTo>(
    request: AnswersRequest & { readonly kind: Kind },
  ): Promise<ReplyTo[Kind]> {
    if (this.#ended) throw this.#unavailable('is closed');
    const reply = await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request);
    });
    // Replies come in the order of the requests, so this one answers this kind.
    return reply as ReplyTo[Kind];
  }

  /** Resolves when the thread has ended, its file closed. */
  async close(): Promise<void> {
    if (this.#ended) return;
    const exit = once(this.#worker, 'exit');
    const closed = this.request({ kind: 'close' });
    this.#ended = true;
    await closed;
    await exit;
  }

  #hear(reply: AnswersReply): void {
    const waiting = this.#waiting.shift();
    if (reply.kind !== 'failed') waiting?.resolve(reply);
    else {
      const code = reply.unreadable ? 'store-unreadable' : 'store-unavailable';
      waiting?.reject(new AnswerStoreError(code, `${this.#file}: ${reply.reason}`));
    }
  }

  #bury(): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#unavailable('lost its thread'));
  }

  #unavailable(why: string): AnswerStoreError {
    return new AnswerStoreError('store-unavailable', `${this.#file} ${why}`);
  }
}
