import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export type HousekeepingOrder =
  | { readonly do: 'checkpoint' | 'clear-dropped' | 'close' }
  | { readonly do: 'forget-deletions'; readonly beforeMs: number };

/** 4 MiB of pages if every write touches another one. */
const WRITES_PER_CHECKPOINT = 1_000;
const DELETIONS_PER_CLEARING = 1_000;

/** Beside this file, in whatever form this file runs: source in tests, compiled otherwise. */
const source = new URL(
  import.meta.url.endsWith('.ts') ? './housekeeper.worker.ts' : './housekeeper.worker.js',
  import.meta.url,
);

/** Decides when the thread that does the slow work has something to do; starts it when first so. */
export class Housekeeper {
  #worker: Worker | null = null;
  #writes = 0;
  #deletions = 0;
  #checkpointing = false;
  #closed = false;

  constructor(private readonly file: string) {}

  /** After each commit. @param forgetBeforeMs deletions before this instant may be forgotten */
  committed(writes: number, deletions: number, forgetBeforeMs: number): void {
    this.#writes += writes;
    this.#deletions += deletions;
    if (this.#writes >= WRITES_PER_CHECKPOINT && !this.#checkpointing) {
      this.#writes = 0;
      this.#checkpointing = true;
      this.#order({ do: 'checkpoint' });
    }
    if (this.#deletions >= DELETIONS_PER_CLEARING) {
      this.#deletions = 0;
      this.#order({ do: 'forget-deletions', beforeMs: forgetBeforeMs });
    }
  }

  /** There are rows of dropped collections to clear away. */
  dropped(): void {
    this.#order({ do: 'clear-dropped' });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (!worker) return;
    const exit = once(worker, 'exit');
    worker.ref();
    worker.postMessage({ do: 'close' } satisfies HousekeepingOrder);
    await exit;
  }

  #order(order: HousekeepingOrder): void {
    if (this.#closed) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(order);
  }

  #start(): Worker {
    const worker = new Worker(source, { workerData: { file: this.file } });
    worker.on('message', (done: HousekeepingOrder['do']) => {
      if (done === 'checkpoint') this.#checkpointing = false;
    });
    // A thread that dies takes no document along: the next order starts another.
    worker.on('error', () => {
      this.#checkpointing = false;
      this.#worker = null;
    });
    worker.unref();
    return worker;
  }
}
