import { Bell } from '#platform/threads/bell.js';
import { type ReplyListener, WorkerChannel } from '#platform/threads/worker-channel.js';
import { StoreUnavailableError } from '../event-store.errors.js';
import {
  type WriterData,
  type WriterReply,
  type WriterRequest,
  type WriterSettings,
} from './writer.protocol.js';

const WRITER = new URL('./writer.worker.js', import.meta.url);

/** A running writer. Requests are answered in the order in which they were made. */
export class WriterThread {
  readonly #channel: WorkerChannel<WriterRequest, WriterReply>;

  private constructor(settings: WriterSettings) {
    const bell = new Bell();
    const data: WriterData = { settings, bell: bell.memory };
    this.#channel = new WorkerChannel(WRITER, data, bell);
  }

  /** @throws StoreUnavailableError when the file cannot be opened as a log */
  static async start(
    settings: WriterSettings,
  ): Promise<{ readonly writer: WriterThread; readonly head: number }> {
    const writer = new WriterThread(settings);
    const reply = await writer.#channel.started();
    if (reply?.kind === 'ready') return { writer, head: reply.head };
    throw new StoreUnavailableError(reply?.kind === 'refused' ? reply.reason : writer.exitReason);
  }

  get alive(): boolean {
    return this.#channel.isOpen;
  }

  /** The message for a request whose reply was null. */
  get exitReason(): string {
    const { failure } = this.#channel;
    return failure === null
      ? 'the writer thread ended'
      : `the writer thread ended: ${failure.message}`;
  }

  request(request: WriterRequest, listener: ReplyListener<WriterReply>): void {
    this.#channel.request(request, listener);
  }

  /** Resolves when the thread has ended, its file closed. */
  close(): Promise<void> {
    return this.#channel.close({ kind: 'close' });
  }
}
