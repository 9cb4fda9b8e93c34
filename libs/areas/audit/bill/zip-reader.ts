import { crc32, inflateRawSync } from 'node:zlib';
import { ProofError, demand } from '../proof/proof.error.js';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** Names in UTF-8. */
const FLAGS_KNOWN = 0x0800 | 0x0008 | 0x0006;
const ENTRIES_MAX = 64;
/** Of all files together. */
const BYTES_MAX = 2 ** 31 - 1;

/**
 * The files of a zip archive, as far as a bill needs it: stored or deflated, without encryption,
 * comment and 64-bit sizes. Every byte of the archive belongs to a file or to the directory.
 * @throws ProofError
 */
export const readZip = (zip: Buffer): ReadonlyMap<string, Buffer> => {
  try {
    return filesIn(zip);
  } catch (error) {
    if (error instanceof ProofError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProofError(`the archive is damaged: ${reason}`, { cause: error });
  }
};

const filesIn = (zip: Buffer): ReadonlyMap<string, Buffer> => {
  const end = zip.length - END_BYTES;
  demand(end >= 0 && zip.readUInt32LE(end) === END_SIGNATURE, 'it is no zip archive');
  const count = zip.readUInt16LE(end + 10);
  demand(count === zip.readUInt16LE(end + 8) && count <= ENTRIES_MAX, 'it has too many files');
  let at = zip.readUInt32LE(end + 16);
  const files = new Map<string, Buffer>();
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    const entry = readEntry(zip, at);
    demand(!files.has(entry.name), `the archive has two files ${entry.name}`);
    bytes += entry.size;
    demand(bytes <= BYTES_MAX, 'the files of the archive are too large');
    files.set(entry.name, contentOf(zip, entry));
    at = entry.end;
  }
  demand(at === end, 'the directory of the archive is damaged');
  return files;
};

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
  /** Where the next one begins. */
  readonly end: number;
}

const readEntry = (zip: Buffer, at: number): Entry => {
  demand(zip.readUInt32LE(at) === ENTRY_SIGNATURE, 'the directory of the archive is damaged');
  demand((zip.readUInt16LE(at + 8) & ~FLAGS_KNOWN) === 0, 'the archive is encrypted');
  const nameEnd = at + ENTRY_BYTES + zip.readUInt16LE(at + 28);
  return {
    name: zip.toString('utf8', at + ENTRY_BYTES, nameEnd),
    method: zip.readUInt16LE(at + 10),
    crc: zip.readUInt32LE(at + 16),
    packedSize: zip.readUInt32LE(at + 20),
    size: zip.readUInt32LE(at + 24),
    offset: zip.readUInt32LE(at + 42),
    end: nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32),
  };
};

const contentOf = (zip: Buffer, { name, method, crc, packedSize, size, offset }: Entry): Buffer => {
  demand(
    zip.readUInt32LE(offset) === LOCAL_SIGNATURE,
    `the file ${name} is not where it should be`,
  );
  const begin =
    offset + LOCAL_BYTES + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
  const packed = zip.subarray(begin, begin + packedSize);
  demand(method === STORED || method === DEFLATED, `the file ${name} is packed in an unknown way`);
  const content =
    method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  const whole = content.length === size && packed.length === packedSize && crc32(content) === crc;
  demand(whole, `the file ${name} is damaged`);
  return content;
};
