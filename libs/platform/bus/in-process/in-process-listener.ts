import { decodeMessage, type EncodedMessage } from '../bus.checks.js';
import { type Listener, type ListenerOptions } from '../bus.port.js';

/** A listener of one topic. Its messages are handled after `publish` has returned. */
export class InProcessListener implements Listener {
  #waiting: EncodedMessage[] = [];
  #isClosed = false;

  /** @param onClosed may be called twice */
  constructor(
    private readonly options: ListenerOptions,
    private readonly onClosed: () => void,
  ) {}

  add(message: EncodedMessage): void {
    this.#waiting.push(message);
    if (this.#waiting.length === 1) setImmediate(() => this.#deliver());
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.onClosed();
    return Promise.resolve();
  }

  #deliver(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    for (const message of messages) {
      if (this.#isClosed) return;
      try {
        this.options.handle(decodeMessage(message));
      } catch (failure) {
        this.options.onFailed(failure);
      }
    }
  }
}
