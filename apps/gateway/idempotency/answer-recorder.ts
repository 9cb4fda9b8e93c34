import { ANSWER_BYTES_MAX, type StoredAnswer } from '#platform/idempotency/answer-store.port.js';

/**
 * How an answer ended: `whole`, `cut` short with an outcome that is known, or `in-doubt`, when it
 * is not known what it has cost.
 */
export type AnswerEnd = 'whole' | 'cut' | 'in-doubt';

/** Sees what the caller was sent, so that it can be replayed. */
export interface AnswerTap {
  head(headers: Readonly<Record<string, string>>): void;
  text(text: string): void;
}

/** Gathers an answer as it goes out, up to the size that is kept. */
export class AnswerRecorder implements AnswerTap {
  readonly #texts: string[] = [];
  #headers: Readonly<Record<string, string>> = {};
  #bytes = 0;

  head(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
  }

  text(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes <= ANSWER_BYTES_MAX) this.#texts.push(text);
    else this.#texts.length = 0;
  }

  answer(status: number): StoredAnswer | 'too-large' {
    if (this.#bytes > ANSWER_BYTES_MAX) return 'too-large';
    return { status, headers: this.#headers, body: Buffer.from(this.#texts.join('')) };
  }
}
