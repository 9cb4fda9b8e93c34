import { ANSWER_BYTES_MAX, type StoredAnswer } from '#platform/idempotency/answer-store.port.js';

/**
 * The end of an answer: `whole`, `cut` short with a known charge, or `in-doubt` with an unknown
 * charge.
 */
export type AnswerEnd = 'whole' | 'cut' | 'in-doubt';

/** Receives the bytes of an answer, for a replay. */
export interface AnswerTap {
  head(headers: Readonly<Record<string, string>>): void;
  text(text: string): void;
}

/** Receives an answer that is no text, too. */
export interface BytesTap extends AnswerTap {
  bytes(bytes: Uint8Array): void;
}

/** Records an answer up to the size that the answer store keeps. */
export class AnswerRecorder implements BytesTap {
  readonly #pieces: Uint8Array[] = [];
  #headers: Readonly<Record<string, string>> = {};
  #bytes = 0;

  head(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
  }

  text(text: string): void {
    this.bytes(Buffer.from(text));
  }

  bytes(bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength;
    if (this.#bytes <= ANSWER_BYTES_MAX) this.#pieces.push(bytes);
    else this.#pieces.length = 0;
  }

  answer(status: number): StoredAnswer | 'too-large' {
    if (this.#bytes > ANSWER_BYTES_MAX) return 'too-large';
    return { status, headers: this.#headers, body: Buffer.concat(this.#pieces) };
  }
}
