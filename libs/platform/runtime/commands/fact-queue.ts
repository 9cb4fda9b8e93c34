import { type EventToAppend } from '#platform/event-store/event-store.port.js';
import { type Batch, type RecorderParts, StreamRecorder } from './stream-recorder.js';

/** The longest time that a fact waits to be recorded. */
export const RECORD_AFTER_MS = 1_000;
/** Facts that wait while the log cannot be written; more are counted as lost. */
export const WAITING_MAX = 20_000;

export interface FactQueueOptions<Fact> {
  /** Has this process as the only writer. */
  readonly stream: string;
  /** Such as `attempts of rigs`: of the log lines. */
  readonly of: string;
  /** Facts of one event. */
  readonly factsMax: number;
  /**
   * @param lost facts since the last event that could not be kept
   * @throws where a fact does not fit the schema
   */
  readonly eventOf: (facts: Fact[], lost: number) => EventToAppend;
}

/** Records facts in batches, apart from the requests that made them. */
export class FactQueue<Fact> {
  readonly #recorder: StreamRecorder;
  #waiting: Fact[] = [];
  #lost = 0;

  constructor(
    private readonly options: FactQueueOptions<Fact>,
    private readonly parts: RecorderParts,
  ) {
    const batches = {
      of: options.of,
      waiting: () => this.#waiting.length,
      next: () => this.#next(),
    };
    this.#recorder = new StreamRecorder(options.stream, batches, parts);
  }

  add(fact: Fact): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(fact);
    const isFull = this.#waiting.length >= this.options.factsMax;
    if (isFull && !this.#recorder.isFailing) void this.flush();
    else this.#recorder.flushWithin(RECORD_AFTER_MS);
  }

  /** Never rejects: what cannot be written waits for the next try. */
  flush(): Promise<void> {
    return this.#recorder.flush();
  }

  close(): Promise<void> {
    return this.#recorder.close();
  }

  /** Null where a fact does not fit the schema: the batch is lost, and the next one says so. */
  #next(): Batch | null {
    const facts = this.#waiting.splice(0, this.options.factsMax);
    try {
      const event = this.options.eventOf(facts, this.#lost);
      this.#lost = 0;
      return { event, facts: facts.length };
    } catch (error) {
      this.#lost += facts.length;
      this.parts.logger.warn({ err: error }, `${this.options.of} do not fit their event`);
      return null;
    }
  }
}
