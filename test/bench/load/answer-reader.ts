import { CONTENT_CHUNKS } from './workload.js';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';
const DATA_LINE = 'data: ';
/** The content chunks, the usage chunk and `[DONE]`. */
const DATA_LINES_MIN = CONTENT_CHUNKS + 2;

type Framing = { readonly kind: 'chunked' } | { readonly kind: 'length'; readonly bytes: number };

const framingOf = (head: string): Framing | undefined => {
  if (/^transfer-encoding: *chunked/im.test(head)) return { kind: 'chunked' };
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return length === undefined ? undefined : { kind: 'length', bytes: Number(length) };
};

const count = (body: Buffer, text: string): number => {
  let found = 0;
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + text.length)) found += 1;
  return found;
};

/**
 * Reads one HTTP/1.1 answer off a connection as cheaply as can be, for the generator shares the
 * machine with the measured server. A chunked body is over when a segment ends in the last-chunk
 * marker: no body of this bench contains a carriage return, so nothing else can look like it.
 */
export class AnswerReader {
  #head = '';
  #framing: Framing | undefined;
  #segments: Buffer[] = [];
  #bodyBytes = 0;
  /** The head's own blank line replaces the one before an empty chunked body. */
  #tail = '\r\n';

  /** True once the answer is complete. Throws on an answer whose end cannot be known. */
  push(segment: Buffer): boolean {
    if (this.#framing) return this.#pushBody(segment, this.#framing);
    const received =
      this.#segments.length > 0 ? Buffer.concat([...this.#segments, segment]) : segment;
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) {
      this.#segments = [received];
      return false;
    }
    this.#head = received.toString('latin1', 0, headEnd);
    this.#framing = framingOf(this.#head);
    if (!this.#framing) throw new Error(`answer without a length: ${this.#head}`);
    this.#segments = [];
    return this.#pushBody(received.subarray(headEnd + HEAD_END.length), this.#framing);
  }

  #pushBody(segment: Buffer, framing: Framing): boolean {
    this.#segments.push(segment);
    this.#bodyBytes += segment.length;
    if (framing.kind === 'length') return this.#bodyBytes >= framing.bytes;
    const end = segment.toString('latin1', Math.max(0, segment.length - LAST_CHUNK.length));
    this.#tail = (this.#tail + end).slice(-LAST_CHUNK.length);
    return this.#tail === LAST_CHUNK;
  }

  /** The fault of the complete answer, or undefined. */
  defect(streaming: boolean): string | undefined {
    const body = Buffer.concat(this.#segments);
    const shown = (): string => `${this.#head}\n\n${body.toString().slice(0, 400)}`;
    if (!this.#head.startsWith('HTTP/1.1 200')) return `not a 200: ${shown()}`;
    if (!body.includes('"completion_tokens"')) return `no usage: ${shown()}`;
    if (!streaming) return undefined;
    if (body.lastIndexOf('data: [DONE]') < 0) return `stream without [DONE]: ${shown()}`;
    const dataLines = count(body, DATA_LINE);
    return dataLines < DATA_LINES_MIN ? `stream of ${dataLines} data lines: ${shown()}` : undefined;
  }
}
