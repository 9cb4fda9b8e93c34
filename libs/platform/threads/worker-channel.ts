import { Worker } from 'node:worker_threads';
import { type Bell } from './bell.js';

/** Receives the reply, or null when the thread ended without one. */
export type ReplyListener<Reply> = (reply: Reply | null) => void;

/**
 * The calling side of a worker thread that replies to each request once, in the order of the
 * requests. That order identifies a reply, so a request costs one message and nothing more.
 */
export class WorkerChannel<Request, Reply> {
  readonly #worker: Worker;
  readonly #listeners: ReplyListener<Reply>[] = [];
  readonly #exited: Promise<void>;
  #open = true;
  #failure: Error | null = null;

  /**
   * @param source the compiled worker file
   * @param bell what the thread waits for, where it answers by `answerAtBell`
   */
  constructor(
    source: URL,
    workerData: unknown,
    private readonly bell?: Bell,
  ) {
    this.#worker = new Worker(source, { workerData });
    this.#worker.on('message', (reply: Reply) => this.#listeners.shift()?.(reply));
    // An `exit` always follows an `error`, and ends the requests that wait.
    this.#worker.on('error', (error: Error) => {
      this.#open = false;
      this.#failure = error;
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#end();
        resolve();
      });
    });
  }

  /** Whether requests are sent. False once the thread has failed, ended or is being closed. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** The error that ended the thread, or null. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** The reply with which a thread reports its start. To be called before the first request. */
  started(): Promise<Reply | null> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  request(request: Request, listener: ReplyListener<Reply>): void {
    if (!this.#open) {
      listener(null);
      return;
    }
    this.#listeners.push(listener);
    this.#worker.postMessage(request);
    this.bell?.ring();
  }

  /** An idle thread does not keep the process running. */
  unref(): void {
    this.#worker.unref();
  }

  /**
   * Sends the last request and resolves when the thread has ended.
   * @param last the request after which the thread closes its port
   */
  async close(last: Request): Promise<void> {
    this.#worker.ref();
    this.request(last, () => undefined);
    this.#open = false;
    await this.#exited;
  }

  #end(): void {
    this.#open = false;
    for (const listener of this.#listeners.splice(0)) listener(null);
  }
}
