import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { AnswerStoreError } from '../answer-store.errors.js';
import {
  type AnswersReply,
  type AnswersRequest,
  type AnswersSettings,
  type FailedReply,
  type ReplyTo,
} from './answers.protocol.js';

const WORKER = new URL('./answers.worker.js', import.meta.url);

/** The thread that keeps the answers. Requests are answered in the order they were made. */
export class AnswersThread {
  readonly #file: string;
  readonly #channel: WorkerChannel<AnswersRequest, AnswersReply>;

  private constructor(settings: AnswersSettings) {
    this.#file = settings.file;
    this.#channel = new WorkerChannel(WORKER, settings);
  }

  /** @throws AnswerStoreError `store-unavailable` or `store-unreadable` */
  static async start(settings: AnswersSettings): Promise<AnswersThread> {
    const thread = new AnswersThread(settings);
    thread.#checked(await thread.#channel.started());
    return thread;
  }

  /** @throws AnswerStoreError `store-unavailable` or `store-unreadable` */
  async request<Kind extends keyof ReplyTo>(
    request: AnswersRequest & { readonly kind: Kind },
  ): Promise<ReplyTo[Kind]> {
    if (!this.#channel.isOpen) throw this.#unavailable('is closed');
    const reply = await new Promise<AnswersReply | null>((resolve) => {
      this.#channel.request(request, resolve);
    });
    // Replies have the order of the requests, so this reply has the kind of this request.
    return this.#checked(reply) as ReplyTo[Kind];
  }

  /** Resolves when the thread has ended, its file closed. */
  close(): Promise<void> {
    return this.#channel.close({ kind: 'close' });
  }

  #checked(reply: AnswersReply | null): Exclude<AnswersReply, FailedReply> {
    if (reply === null) throw this.#unavailable('lost its thread');
    if (reply.kind !== 'failed') return reply;
    const code = reply.unreadable ? 'store-unreadable' : 'store-unavailable';
    throw new AnswerStoreError(code, `${this.#file}: ${reply.reason}`);
  }

  #unavailable(why: string): AnswerStoreError {
    return new AnswerStoreError('store-unavailable', `${this.#file} ${why}`);
  }
}
