import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { FIELD_BYTES_MAX, type FormPart, NAME_BYTES_MAX, PARTS_MAX } from './form-part.js';
import { tooLong, tooManyParts } from './malformed-form.js';
import { PercentDecoder } from './percent-decoder.js';

const EQUALS = 0x3d;
const AMPERSAND = 0x26;

/**
 * The parts of a form of the type `application/x-www-form-urlencoded`, as they arrive. Values are
 * bytes: escapes of any byte are allowed, in the file field too. Busboy keeps each value of such a
 * form in memory as a string, and passes a wrong escape on as text; a file has hundreds of MiB.
 * @throws HttpFailure 400 for an escape that is wrong, too many fields, or one that is too long
 */
export async function* urlEncodedParts(
  source: AsyncIterable<Uint8Array>,
  fileField: string,
): AsyncGenerator<FormPart> {
  const scanner = new Scanner(source);
  for (let fields = 0; await scanner.hasMore(); fields += 1) {
    if (fields === PARTS_MAX) throw tooManyParts();
    const name = await textOf(scanner.until(EQUALS, AMPERSAND), NAME_BYTES_MAX, 'a name');
    const value = scanner.delimiter === EQUALS ? scanner.until(AMPERSAND) : nothing();
    if (name === fileField) yield { kind: 'file', name, filename: '', content: value };
    else yield { kind: 'field', name, value: await textOf(value, FIELD_BYTES_MAX, name) };
    // A reader that stops early leaves the rest.
    await skip(value);
  }
}

/** Cuts the body at delimiters, and decodes what is between them. */
class Scanner {
  readonly #source: AsyncIterator<Uint8Array>;
  #piece = Buffer.alloc(0);
  #isOver = false;
  /** The delimiter that ended the last part; null at the end of the form. */
  delimiter: number | null = null;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async hasMore(): Promise<boolean> {
    while (this.#piece.length === 0 && !this.#isOver) {
      const next = await this.#source.next();
      if (next.done === true) this.#isOver = true;
      else this.#piece = Buffer.from(next.value);
    }
    return this.#piece.length > 0;
  }

  async *until(...delimiters: readonly number[]): AsyncGenerator<Uint8Array, void, void> {
    const decoder = new PercentDecoder();
    this.delimiter = null;
    while (await this.hasMore()) {
      const piece = this.#piece;
      const ends = delimiters.map((byte) => piece.indexOf(byte)).filter((at) => at >= 0);
      const end = Math.min(piece.length, ...ends);
      const decoded = decoder.decode(piece.subarray(0, end));
      this.delimiter = piece[end] ?? null;
      this.#piece = piece.subarray(end + 1);
      if (decoded.length > 0) yield decoded;
      if (this.delimiter !== null) break;
    }
    decoder.end();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {
  // A name without a value has none.
}

const textOf = async (
  value: AsyncIterable<Uint8Array>,
  bytesMax: number,
  name: string,
): Promise<string> => (await boundedBytes(value, bytesMax, () => tooLong(name))).toString('utf8');

const skip = async (value: AsyncIterator<Uint8Array>): Promise<void> => {
  while ((await value.next()).done !== true);
};
