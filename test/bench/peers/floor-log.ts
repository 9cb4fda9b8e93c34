import { Worker } from 'node:worker_threads';

const WRITER = new URL('./floor-log.writer.js', import.meta.url);

/**
 * A chained log in SQLite that a thread writes. One commit is under way at a time; the events that
 * arrive meanwhile share the next one. A writer that fails ends the process.
 */
export class FloorLog {
  readonly #writer: Worker;
  #events: string[] = [];
  #waiting: (() => void)[] = [];
  #committing: readonly (() => void)[] | undefined;
  #scheduled = false;

  constructor(path: string) {
    this.#writer = new Worker(WRITER, { workerData: path });
    this.#writer.on('message', () => this.#committed());
  }

  /** Resolves once the event would survive a power loss. */
  append(event: object): Promise<void> {
    this.#events.push(JSON.stringify(event));
    if (!this.#scheduled && !this.#committing) {
      this.#scheduled = true;
      // The other requests of this turn of the event loop join the commit.
      setImmediate(() => this.#commit());
    }
    return new Promise((durable) => this.#waiting.push(durable));
  }

  #commit(): void {
    this.#scheduled = false;
    this.#writer.postMessage(this.#events);
    this.#committing = this.#waiting;
    this.#events = [];
    this.#waiting = [];
  }

  #committed(): void {
    const durable = this.#committing ?? [];
    this.#committing = undefined;
    if (this.#events.length > 0) this.#commit();
    for (const resolve of durable) resolve();
  }
}
