/**
 * Reads the header of a GGUF file, versions 2 and 3, without loading the model. Why not with a
 * package: `decisions/0001-own-gguf-header-reader.md`.
 */
import { open, type FileHandle } from 'node:fs/promises';

const MAGIC = 'GGUF';
const FIRST_READ_BYTES = 1 << 20;
const HEADER_BYTES_MAX = 1 << 28;
/** A file says how many there are of each; more are not a header that llama.cpp reads. */
const ENTRIES_MAX = 65_536;
const TENSORS_MAX = 65_536;
const DIMENSIONS_MAX = 4;
const ARRAY_LENGTH_MAX = 1 << 22;
const ALIGNMENT_MAX = 65_536;

export interface GgufTensorInfo {
  readonly name: string;
  /** In the file's own order: the length of a row first. */
  readonly dimensions: readonly number[];
  /** llama.cpp's number of the element type; 0 is a 32-bit float. */
  readonly type: number;
  /** Bytes from `dataStart`. */
  readonly offset: number;
}

export interface GgufHeader {
  readonly metadata: ReadonlyMap<string, unknown>;
  /** Of each entry of the metadata, its key included: bytes from the start of the file. */
  readonly entries: ReadonlyMap<string, { readonly start: number; readonly end: number }>;
  readonly tensors: readonly GgufTensorInfo[];
  /** Bytes from the start of the file. */
  readonly dataStart: number;
}

/** Not a GGUF file, or one that this reader does not support. */
export class GgufFormatError extends Error {
  override readonly name = 'GgufFormatError';
}

/** The number of the type of an array. */
const ARRAY = 9;

class HeaderCutShort extends Error {}

class HeaderCursor {
  offset = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  u64(): number {
    return Number(this.view.getBigUint64(this.take(8), true));
  }

  string(): string {
    const length = this.u64();
    const start = this.take(length);
    return new TextDecoder().decode(this.bytes.subarray(start, start + length));
  }

  array(): unknown[] {
    const type = this.u32();
    const length = this.u64();
    if (type === ARRAY) throw new GgufFormatError('an array of arrays');
    if (length > ARRAY_LENGTH_MAX) throw new GgufFormatError(`an array of ${length} values`);
    const values: unknown[] = [];
    for (let index = 0; index < length; index += 1) values.push(this.value(type));
    return values;
  }

  /** A value of the container's type number `type`. */
  value(type: number): unknown {
    const { view } = this;
    switch (type) {
      case 0:
        return view.getUint8(this.take(1));
      case 1:
        return view.getInt8(this.take(1));
      case 2:
        return view.getUint16(this.take(2), true);
      case 3:
        return view.getInt16(this.take(2), true);
      case 4:
        return this.u32();
      case 5:
        return view.getInt32(this.take(4), true);
      case 6:
        return view.getFloat32(this.take(4), true);
      case 7:
        return view.getUint8(this.take(1)) !== 0;
      case 8:
        return this.string();
      case ARRAY:
        return this.array();
      case 10:
        return this.u64();
      case 11:
        return Number(view.getBigInt64(this.take(8), true));
      case 12:
        return view.getFloat64(this.take(8), true);
      default:
        throw new GgufFormatError(`a value of unknown type ${type}`);
    }
  }

  private take(length: number): number {
    const start = this.offset;
    if (start + length > this.bytes.length) throw new HeaderCutShort();
    this.offset = start + length;
    return start;
  }
}

const alignmentOf = (metadata: ReadonlyMap<string, unknown>): number => {
  const alignment = metadata.get('general.alignment') ?? 32;
  const isPower = typeof alignment === 'number' && Number.isInteger(Math.log2(alignment));
  if (isPower && alignment >= 1 && alignment <= ALIGNMENT_MAX) return alignment;
  throw new GgufFormatError('bad alignment');
};

const parse = (bytes: Uint8Array): GgufHeader => {
  const cursor = new HeaderCursor(bytes);
  cursor.offset = MAGIC.length;
  const version = cursor.u32();
  if (version < 2 || version > 3) throw new GgufFormatError(`version ${version} is not supported`);
  const tensorCount = cursor.u64();
  const entryCount = cursor.u64();
  if (tensorCount > TENSORS_MAX) throw new GgufFormatError(`${tensorCount} tensors`);
  if (entryCount > ENTRIES_MAX) throw new GgufFormatError(`${entryCount} entries of metadata`);
  const metadata = new Map<string, unknown>();
  const entries = new Map<string, { start: number; end: number }>();
  for (let index = 0; index < entryCount; index += 1) {
    const start = cursor.offset;
    const key = cursor.string();
    if (metadata.has(key)) throw new GgufFormatError(`two entries ${key}`);
    metadata.set(key, cursor.value(cursor.u32()));
    entries.set(key, { start, end: cursor.offset });
  }
  const tensors: GgufTensorInfo[] = [];
  const names = new Set<string>();
  for (let index = 0; index < tensorCount; index += 1) {
    const name = cursor.string();
    if (names.has(name)) throw new GgufFormatError(`two tensors ${name}`);
    names.add(name);
    const sides = cursor.u32();
    if (sides > DIMENSIONS_MAX) throw new GgufFormatError(`${name} has ${sides} dimensions`);
    const dimensions = Array.from({ length: sides }, () => cursor.u64());
    tensors.push({ name, dimensions, type: cursor.u32(), offset: cursor.u64() });
  }
  const alignment = alignmentOf(metadata);
  const dataStart = Math.ceil(cursor.offset / alignment) * alignment;
  return { metadata, entries, tensors, dataStart };
};

const isGguf = (bytes: Uint8Array): boolean =>
  new TextDecoder('latin1').decode(bytes.subarray(0, MAGIC.length)) === MAGIC;

/** The header at the beginning of `bytes`. @throws GgufFormatError */
export const parseGgufHeader = (bytes: Uint8Array): GgufHeader => {
  if (!isGguf(bytes)) throw new GgufFormatError('it does not begin with GGUF');
  try {
    return parse(bytes);
  } catch (error) {
    if (error instanceof HeaderCutShort) throw new GgufFormatError('its header is cut short');
    throw error;
  }
};

const readStart = async (file: FileHandle, length: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(length);
  const { bytesRead } = await file.read(bytes, 0, length, 0);
  return bytes.subarray(0, bytesRead);
};

/**
 * The header of a file. A header with a large vocabulary has megabytes and does not state its
 * length, so longer and longer beginnings are tried.
 * @throws GgufFormatError, or the error of the file system
 */
export const readGgufHeader = async (path: string): Promise<GgufHeader> => {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const longest = Math.min(size, HEADER_BYTES_MAX);
  for (let length = FIRST_READ_BYTES; length < longest; length *= 4) {
    const bytes = await readStart(file, length);
    if (!isGguf(bytes)) break;
    try {
      return parse(bytes);
    } catch (error) {
      if (!(error instanceof HeaderCutShort)) throw error;
    }
  }
  return parseGgufHeader(await readStart(file, longest));
};
