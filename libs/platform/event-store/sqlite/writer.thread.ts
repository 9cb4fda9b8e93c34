import { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../event-store.errors.js';
import { type WriterReply, type WriterRequest, type WriterSettings } from './writer.protocol.js';

/** Compiled, this file and the writer's end in `.js`; under Jest both are still `.ts`. */
const WRITER = new URL(
  import.meta.url.endsWith('.ts') ? './writer.worker.ts' : './writer.worker.js',
  import.meta.url,
);

/** Hears a reply, or null when the thread died before it gave one. */
type Listener = (reply: WriterReply | null) => void;

/** A running writer. Requests are answered in the order in which they were made. */
export class WriterThread {
  readonly #worker: Worker;
  readonly #listeners: Listener[] = [];
  #alive = true;
  #cause = '';

  private constructor(settings: WriterSettings) {
    this.#worker = new Worker(WRITER, { workerData: settings });
    this.#worker.on('message', (reply: WriterReply) => this.#listeners.shift()?.(reply));
    // An error is always followed by the exit, which tells those who wait.
    this.#worker.on('error', (error: Error) => {
      this.#alive = false;
      this.#cause = `: ${error.message}`;
    });
    this.#worker.on('exit', () => this.#bury());
  }

  /** @throws StoreUnavailableError when the file cannot be opened as a log */
  static start(settings: WriterSettings): Promise<{ writer: WriterThread; head: number }> {
    return new Promise((resolve, reject) => {
      const writer = new WriterThread(settings);
      writer.#listeners.push((reply) => {
        if (reply?.kind === 'ready') resolve({ writer, head: reply.head });
        else {
          const reason = reply?.kind === 'refused' ? reply.reason : writer.epitaph;
          reject(new StoreUnavailableError(reason));
        }
      });
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** What to say when a reply was null. */
  get epitaph(): string {
    return `the writer thread died${this.#cause}`;
  }

  request(request: WriterRequest, listener: Listener): void {
    if (!this.#alive) {
      listener(null);
      return;
    }
    this.#listeners.push(listener);
    this.#worker.postMessage(request);
  }

  /** Resolves when the thread has ended, its file closed. */
  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.request({ kind: 'close' }, () => resolve());
    });
    await ended;
    await this.#worker.terminate();
  }

  #bury(): void {
    this.#alive = false;
    for (const listener of this.#listeners.splice(0)) listener(null);
  }
}
