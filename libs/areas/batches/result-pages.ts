import { type ItemResult } from './item-result.js';

export interface PageLimits {
  /** The largest number of results in a page. */
  readonly resultsMax: number;
  /** A page is handed out when its texts have this number of characters. */
  readonly charactersMax: number;
  /** The longest time that a result waits for a page. */
  readonly waitMsMax: number;
}

/**
 * Collects the results of concurrent lines into pages, in the order in which they finish. `add`
 * resolves when there is room: twice a page at most is in memory.
 */
export class ResultPages {
  #results: ItemResult[] = [];
  #characters = 0;
  #isClosed = false;
  #isAbandoned = false;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  #changed = Promise.withResolvers<undefined>();
  #room = Promise.withResolvers<undefined>();

  constructor(private readonly limits: PageLimits) {}

  async add(result: ItemResult): Promise<void> {
    this.#results.push(result);
    this.#characters += result.text.length;
    this.#timer ??= this.#startTimer();
    if (this.#isFull) this.#wake();
    while (this.#isCrowded) await this.#room.promise;
  }

  /** No result follows. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** To be read by one reader. A reader that leaves early leaves the rest. */
  async *pages(): AsyncGenerator<readonly ItemResult[], void, void> {
    try {
      for (;;) {
        while (!this.#isFull && !this.#isDue && !this.#isClosed) await this.#changed.promise;
        const page = this.#take();
        if (page.length > 0) yield page;
        else if (this.#isClosed) return;
      }
    } finally {
      clearTimeout(this.#timer);
      this.#isAbandoned = true;
      this.#room.resolve(undefined);
    }
  }

  get #isFull(): boolean {
    return this.#exceeds(1);
  }

  get #isCrowded(): boolean {
    return !this.#isAbandoned && this.#exceeds(2);
  }

  #exceeds(pages: number): boolean {
    const { resultsMax, charactersMax } = this.limits;
    return this.#results.length >= pages * resultsMax || this.#characters >= pages * charactersMax;
  }

  #take(): readonly ItemResult[] {
    const page = this.#results.splice(0, this.limits.resultsMax);
    this.#characters -= page.reduce((sum, { text }) => sum + text.length, 0);
    this.#isDue = false;
    clearTimeout(this.#timer);
    this.#timer = this.#results.length > 0 ? this.#startTimer() : undefined;
    this.#room.resolve(undefined);
    this.#room = Promise.withResolvers();
    return page;
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#isDue = true;
      this.#wake();
    }, this.limits.waitMsMax);
  }

  #wake(): void {
    this.#changed.resolve(undefined);
    this.#changed = Promise.withResolvers();
  }
}
