import { WorkerChannel } from '#platform/threads/worker-channel.js';

export type HousekeepingOrder =
  | { readonly kind: 'checkpoint' | 'clear-dropped' | 'close' }
  | { readonly kind: 'forget-deletions'; readonly beforeMs: number };

/** 4 MiB of pages if every write touches another one. */
const WRITES_PER_CHECKPOINT = 1_000;
const DELETIONS_PER_CLEARING = 1_000;

const HOUSEKEEPER = new URL('./housekeeper.worker.js', import.meta.url);

/** Decides when the thread that does the slow work has something to do; starts it when first so. */
export class Housekeeper {
  #channel: WorkerChannel<HousekeepingOrder, HousekeepingOrder['kind']> | null = null;
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
      this.#order({ kind: 'checkpoint' }, () => (this.#checkpointing = false));
    }
    if (this.#deletions >= DELETIONS_PER_CLEARING) {
      this.#deletions = 0;
      this.#order({ kind: 'forget-deletions', beforeMs: forgetBeforeMs });
    }
  }

  /** There are rows of dropped collections to clear away. */
  dropped(): void {
    this.#order({ kind: 'clear-dropped' });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#channel?.close({ kind: 'close' });
  }

  /** A thread that fails takes no document along: the next order starts another. */
  #order(order: HousekeepingOrder, carriedOut: () => void = () => undefined): void {
    if (this.#closed) return;
    if (!this.#channel?.isOpen) {
      this.#channel = new WorkerChannel(HOUSEKEEPER, { file: this.file });
      this.#channel.unref();
    }
    this.#channel.request(order, carriedOut);
  }
}
