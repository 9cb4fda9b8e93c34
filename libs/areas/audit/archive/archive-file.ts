import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { fromBase64 } from '#platform/audit/signed-note.js';
import { HASH_BYTES, PROOF_HASHES_MAX } from '#platform/audit/merkle.js';
import { demand, ProofError } from '../proof/proof.error.js';
import {
  demandOnly,
  type Fields,
  listOf,
  parseFields,
  textOf,
  wholeOf,
} from '../proof/json-fields.js';

export const ARCHIVE_FORMAT = 'quipu.log/1';

/** The first bytes of a gzip file (RFC 1952): a bill is a zip file. */
export const isArchive = (file: Uint8Array): boolean => file[0] === 0x1f && file[1] === 0x8b;

const LENGTH_BYTES = 4;
const LINE_BREAK = 0x0a;
const HEADER_BYTES_MAX = 1_048_576;
/** An append has a mebibyte at most; names and lengths are little beside it. */
const EVENT_BYTES_MAX = 4 * 1_048_576;

/** A range of the log, and the proof that the log has it. Leaves count from 0. */
export interface ArchiveHeader {
  /** The leaf of the first event. */
  readonly first: number;
  /** The leaf behind the last event. */
  readonly end: number;
  /** The hashes of the complete subtrees of the leaves before the range, from left to right. */
  readonly edge: readonly Buffer[];
  /** The root of the tree of the first `end` leaves. */
  readonly root: Buffer;
  /** A signed note, of at least `end` leaves. */
  readonly checkpoint: string;
  /** The proof (RFC 6962, 2.1.2) that the tree of the checkpoint begins with the tree of `end`. */
  readonly consistency: readonly Buffer[];
  /** The verifier key of the log. */
  readonly key: string;
}

/**
 * The bytes of an archive: gzip of the header as a line of JSON, then each event as the length of
 * its canonical encoding (32 bits, big-endian) and the encoding.
 */
export const writeArchive = (
  header: ArchiveHeader,
  encodings: AsyncIterable<Uint8Array>,
): Readable => {
  const gzip = createGzip();
  const parts = Readable.from(partsOf(header, encodings), { objectMode: false });
  parts.once('error', (error) => gzip.destroy(error));
  return parts.pipe(gzip);
};

async function* partsOf(
  header: ArchiveHeader,
  encodings: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const { edge, root, consistency, ...rest } = header;
  const [edges, proof] = [edge, consistency].map((hashes) => hashes.map(base64));
  const fields = {
    format: ARCHIVE_FORMAT,
    ...rest,
    root: base64(root),
    edge: edges,
    consistency: proof,
  };
  yield Buffer.from(`${JSON.stringify(fields)}\n`);
  for await (const encoding of encodings) {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(encoding.length);
    yield Buffer.concat([length, encoding]);
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export interface OpenArchive {
  readonly header: ArchiveHeader;
  /** Of exactly `end - first` events. @throws ProofError where the file is damaged */
  readonly encodings: AsyncIterable<Buffer>;
}

/**
 * Reads an archive in one pass and constant memory.
 * @throws ProofError
 */
export const readArchive = async (file: Readable): Promise<OpenArchive> => {
  const bytes = new ByteReader(chunksOf(file));
  const line = await bytes.until(LINE_BREAK, HEADER_BYTES_MAX);
  const header = headerOf(parseFields(line.toString('utf8'), 'the header of the archive'));
  return { header, encodings: encodingsOf(bytes, header.end - header.first) };
};

/** A damaged file is another error than one that cannot be read. */
async function* chunksOf(file: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  file.once('error', (error) => gunzip.destroy(error));
  try {
    yield* file.pipe(gunzip) as AsyncIterable<Buffer>;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('Z_')) throw error;
    throw new ProofError('the archive is damaged', { cause: error });
  } finally {
    file.destroy();
  }
}

async function* encodingsOf(bytes: ByteReader, count: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index += 1) {
    const length = (await bytes.take(LENGTH_BYTES)).readUInt32BE();
    demand(length <= EVENT_BYTES_MAX, `event ${index} of the archive is too large`);
    yield await bytes.take(length);
  }
  demand(await bytes.isAtEnd(), 'the archive has more events than its header says');
}

const HEADER_FIELDS = [
  'format',
  'first',
  'end',
  'edge',
  'root',
  'checkpoint',
  'consistency',
  'key',
];

const headerOf = (fields: Fields): ArchiveHeader => {
  const format = textOf(fields, 'format');
  demand(
    format === ARCHIVE_FORMAT,
    `the format is ${format}, and this verifier reads ${ARCHIVE_FORMAT}`,
  );
  demandOnly(fields, HEADER_FIELDS, 'the header of the archive');
  const [first, end] = [wholeOf(fields, 'first'), wholeOf(fields, 'end')];
  demand(first >= 0 && first < end, 'the archive has no event');
  const [root] = hashesOf([fields['root']], 'root');
  return {
    first,
    end,
    edge: hashesOf(listOf(fields, 'edge'), 'edge'),
    root: root ?? Buffer.alloc(0),
    checkpoint: textOf(fields, 'checkpoint'),
    consistency: hashesOf(listOf(fields, 'consistency'), 'consistency'),
    key: textOf(fields, 'key'),
  };
};

const hashesOf = (values: readonly unknown[], name: string): readonly Buffer[] => {
  demand(values.length <= PROOF_HASHES_MAX, `${name} has too many hashes`);
  return values.map((value) => {
    const hash = typeof value === 'string' ? fromBase64(value) : undefined;
    demand(hash?.length === HASH_BYTES, `${name} has no hash of ${HASH_BYTES} bytes`);
    return hash;
  });
};

/** Bytes of a stream in the amounts that its reader asks for. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** @throws ProofError where the stream ends before */
  async take(count: number): Promise<Buffer> {
    while (this.#rest.length < count) {
      demand(await this.#more(), 'the archive is cut short');
    }
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  /** The bytes before the next `end`, which is passed over. */
  async until(end: number, countMax: number): Promise<Buffer> {
    let at = this.#rest.indexOf(end);
    while (at === -1) {
      demand(this.#rest.length <= countMax, 'the header of the archive is too large');
      demand(await this.#more(), 'the archive is cut short');
      at = this.#rest.indexOf(end);
    }
    const taken = await this.take(at);
    await this.take(1);
    return taken;
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#more());
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
    return true;
  }
}
