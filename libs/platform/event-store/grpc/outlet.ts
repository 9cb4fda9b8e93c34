import { once } from 'node:events';
import { type ServerWritableStream } from '@grpc/grpc-js';

/** Writes to a call as fast as its client reads; unread messages wait at the sender. */
export class Outlet {
  readonly #call: ServerWritableStream<Buffer, Buffer>;
  readonly #gone: AbortSignal;

  /** @param gone aborted when the reader has gone */
  constructor(call: ServerWritableStream<Buffer, Buffer>, gone: AbortSignal) {
    this.#call = call;
    this.#gone = gone;
  }

  get closed(): boolean {
    return this.#gone.aborted;
  }

  /**
   * Takes the message; resolves, or returns at once, when there is room for the next one. Whether
   * the reader is still there is known from `closed`.
   */
  send(message: Buffer): Promise<void> | undefined {
    if (this.closed || this.#call.write(message)) return undefined;
    return this.#drained();
  }

  async #drained(): Promise<void> {
    try {
      await once(this.#call, 'drain', { signal: this.#gone });
    } catch (error) {
      if (!this.closed) throw error;
    }
  }
}
