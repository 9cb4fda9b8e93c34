/** A line of a file; blank lines are left out, but counted. */
export type FileLine =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly unreadable: 'too_long' | 'not_utf8' };

const NEW_LINE = 0x0a;

/**
 * The lines of a stream of bytes, in pages: one for each piece of the stream that ends a line.
 * Memory holds one piece and one line.
 */
export async function* linesOf(
  content: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<readonly FileLine[], void, void> {
  const reader = new LineReader(lineBytesMax);
  for await (const piece of content) {
    const page = reader.read(piece);
    if (page.length > 0) yield page;
  }
  const last = reader.end();
  if (last.length > 0) yield last;
}

class LineReader {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #number = 0;
  /** The pieces of the line that has not ended; dropped when it is too long. */
  #begun: Uint8Array[] = [];
  #begunBytes = 0;

  constructor(private readonly lineBytesMax: number) {}

  read(piece: Uint8Array): readonly FileLine[] {
    const lines: FileLine[] = [];
    let start = 0;
    for (;;) {
      const end = piece.indexOf(NEW_LINE, start);
      if (end === -1) break;
      this.#append(piece.subarray(start, end));
      this.#finish(lines);
      start = end + 1;
    }
    this.#append(piece.subarray(start));
    return lines;
  }

  end(): readonly FileLine[] {
    const lines: FileLine[] = [];
    if (this.#begunBytes > 0) this.#finish(lines);
    return lines;
  }

  #append(bytes: Uint8Array): void {
    this.#begunBytes += bytes.length;
    if (this.#begunBytes > this.lineBytesMax) this.#begun = [];
    else if (bytes.length > 0) this.#begun.push(bytes);
  }

  #finish(lines: FileLine[]): void {
    this.#number += 1;
    const line = this.#line(this.#number);
    if (line) lines.push(line);
    this.#begun = [];
    this.#begunBytes = 0;
  }

  #line(number: number): FileLine | undefined {
    if (this.#begunBytes > this.lineBytesMax) return { number, unreadable: 'too_long' };
    try {
      const text = this.#utf8.decode(Buffer.concat(this.#begun));
      return text.trim() === '' ? undefined : { number, text };
    } catch {
      return { number, unreadable: 'not_utf8' };
    }
  }
}
