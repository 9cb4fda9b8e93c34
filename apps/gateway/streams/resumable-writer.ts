import { type ServerResponse } from 'node:http';
import { type StreamKeeper } from '#platform/kept-streams/stream-keeper.js';
import { interruptible } from '#platform/runtime/subscriptions/interruptible.js';
import { type AnswerWriter, type SseWriter } from '../sse/sse.js';
import { EventIds } from './event-ids.js';

export interface ResumableAnswer {
  readonly streamId: string;
  readonly response: ServerResponse;
  readonly keeper: Pick<StreamKeeper, 'append' | 'cancelled' | 'end' | 'isKept' | 'readers'>;
  /** How long the answer runs on without a reader. */
  readonly graceMs: number;
  /** Called when it had no reader for the grace, is kept no longer, or is cancelled. */
  readonly abandon: () => void;
}

/**
 * Writes an answer to its caller and keeps it, so that a caller who left can resume it. The answer
 * runs on while it is read anywhere, and for a grace without a reader.
 */
export class ResumableWriter implements AnswerWriter {
  readonly #ids: EventIds;
  #hasLeft = false;
  #hasEnded = false;
  #endGrace: () => void = () => undefined;

  constructor(
    private readonly answer: ResumableAnswer,
    private readonly sse: SseWriter,
  ) {
    this.#ids = new EventIds(answer.streamId);
    const { response, keeper, abandon } = answer;
    keeper.cancelled.addEventListener('abort', abandon, { once: true });
    response.once('close', this.#leave);
    if (response.destroyed) this.#leave();
  }

  /** Resolves when the caller and the store have room for more. */
  async write(text: string): Promise<void> {
    const { response, keeper, graceMs, abandon } = this.answer;
    const events = this.#ids.number(text);
    // A connection that broke unnoticed takes nothing, and its caller may be back elsewhere.
    const stalled = setTimeout(() => response.destroy(), graceMs);
    const written = this.sse.write(events.join(''));
    await keeper.append(events);
    await written;
    clearTimeout(stalled);
    if (this.#hasLeft && !keeper.isKept) abandon();
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#endGrace();
    this.answer.response.off('close', this.#leave);
    this.sse.end();
    await this.answer.keeper.end();
  }

  readonly #leave = (): void => {
    this.#hasLeft = true;
    void this.#awaitReader();
  };

  /** Another grace begins as long as the stream was read in the last one. */
  async #awaitReader(): Promise<void> {
    const { keeper, graceMs, abandon } = this.answer;
    let seen = await keeper.readers();
    while (keeper.isKept && !this.#hasEnded) {
      await interruptible(graceMs, (end) => (this.#endGrace = end));
      const now = await keeper.readers();
      if (now === seen) break;
      seen = now;
    }
    if (!this.#hasEnded) abandon();
  }
}
