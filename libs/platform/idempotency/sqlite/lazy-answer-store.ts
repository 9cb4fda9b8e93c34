import { existsSync } from 'node:fs';
import {
  type Admission,
  AnswerStore,
  type IdempotentRequest,
  type SettleAttempt,
} from '../answer-store.port.js';

/**
 * Opens the answer store when a request first needs it: it runs on a worker thread, about 15 MB,
 * and many installations never see an `Idempotency-Key`. Answers of an earlier run are still swept.
 */
export class LazyAnswerStore extends AnswerStore {
  #opening: Promise<AnswerStore> | undefined;

  constructor(
    private readonly file: string,
    private readonly open: () => Promise<AnswerStore>,
  ) {
    super();
  }

  async admit(request: IdempotentRequest, settle: SettleAttempt): Promise<Admission> {
    return (await this.#opened()).admit(request, settle);
  }

  async sweep(): Promise<number> {
    if (!this.#opening && !existsSync(this.file)) return 0;
    return (await this.#opened()).sweep();
  }

  async close(): Promise<void> {
    const store = await this.#opening?.catch(() => undefined);
    await store?.close();
  }

  #opened(): Promise<AnswerStore> {
    // A failed opening is tried again by the next request: a full disk may have room again.
    this.#opening ??= this.open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}
