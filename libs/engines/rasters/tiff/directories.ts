import { damaged, RasterProblem, unsupported } from '../rasters.errors.js';
import { TiffBytes } from './tiff-bytes.js';

export const DIRECTORIES_MAX = 64;
export const ENTRIES_MAX = 4_096;
/** Of one tag. */
export const VALUES_MAX = 1_000_000;

const CLASSIC = 42;
const BIG = 43;

/** Bytes of a value by its type: TIFF 6.0 and BigTIFF. */
const SIZES: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
};

interface Entry {
  readonly type: number;
  readonly count: number;
  /** Where the values are. */
  readonly offset: number;
}

/** The tags of one image of a file. */
export class Directory {
  constructor(
    private readonly file: TiffBytes,
    readonly offset: number,
    private readonly entries: ReadonlyMap<number, Entry>,
  ) {}

  has(tag: number): boolean {
    return this.entries.has(tag);
  }

  /** The unsigned integers and floats of a tag; empty where the directory lacks it. */
  numbers(tag: number, max = VALUES_MAX): readonly number[] {
    const entry = this.entries.get(tag);
    if (!entry) return [];
    const { type, count, offset } = entry;
    if (count > max) damaged(`tag ${tag} has ${count} values, and at most ${max} are read`);
    const size = SIZES[type] ?? 0;
    return Array.from({ length: count }, (_, n) => this.#number(tag, type, offset + n * size));
  }

  /** The only value of a tag. */
  number(tag: number, fallback?: number): number {
    const [value = fallback] = this.numbers(tag);
    return value ?? damaged(`the image has no tag ${tag}`);
  }

  /** Without the zero at its end; null where the directory lacks the tag. */
  text(tag: number): string | null {
    const entry = this.entries.get(tag);
    if (entry?.type !== 2 || entry.count > VALUES_MAX) return null;
    const bytes = this.file.slice(entry.offset, entry.count);
    const [text = ''] = Buffer.from(bytes).toString('latin1').split('\0', 1);
    return text.trim();
  }

  #number(tag: number, type: number, offset: number): number {
    switch (type) {
      case 1:
      case 7:
        return this.file.slice(offset, 1)[0] ?? 0;
      case 3:
        return this.file.u16(offset);
      case 4:
      case 13:
        return this.file.u32(offset);
      case 11:
        return this.file.f32(offset);
      case 12:
        return this.file.f64(offset);
      case 16:
      case 18:
        return this.file.u64(offset);
      default:
        return damaged(`tag ${tag} has numbers of type ${type}`);
    }
  }
}

export interface TiffFile {
  readonly file: TiffBytes;
  readonly isBig: boolean;
  readonly directories: readonly Directory[];
}

/** Whether the bytes begin like a TIFF file. */
export const isTiff = (content: Uint8Array): boolean => {
  const [a, b, c, d] = content;
  const little = a === 0x49 && b === 0x49 && d === 0 && (c === CLASSIC || c === BIG);
  const big = a === 0x4d && b === 0x4d && c === 0 && (d === CLASSIC || d === BIG);
  return little || big;
};

/** @throws RasterProblem */
export const readTiff = (content: Uint8Array): TiffFile => {
  if (!isTiff(content)) throw new RasterProblem('not_an_image', 'the content is no TIFF file');
  const file = new TiffBytes(content, content[0] === 0x49);
  const isBig = file.u16(2) === BIG;
  if (isBig && file.u16(4) !== 8) unsupported('a BigTIFF file with offsets of another size');
  const directories: Directory[] = [];
  const seen = new Set<number>();
  let offset = isBig ? file.u64(8) : file.u32(4);
  while (offset !== 0) {
    if (seen.has(offset)) return damaged('the chain of directories is a loop');
    if (directories.length === DIRECTORIES_MAX) {
      return unsupported(`a file with more than ${DIRECTORIES_MAX} directories`);
    }
    seen.add(offset);
    const { directory, next } = readDirectory(file, offset, isBig);
    directories.push(directory);
    offset = next;
  }
  return directories.length === 0
    ? damaged('a file without an image')
    : { file, isBig, directories };
};

const readDirectory = (file: TiffBytes, offset: number, isBig: boolean) => {
  const count = isBig ? file.u64(offset) : file.u16(offset);
  if (count === 0 || count > ENTRIES_MAX) damaged(`a directory of ${count} tags`);
  const [head, size, inline] = isBig ? [8, 20, 8] : [2, 12, 4];
  const entries = new Map<number, Entry>();
  for (let n = 0; n < count; n += 1) {
    const at = offset + head + n * size;
    const type = file.u16(at + 2);
    const values = isBig ? file.u64(at + 4) : file.u32(at + 4);
    const valuesAt = at + (isBig ? 12 : 8);
    const bytes = values * (SIZES[type] ?? 0);
    const pointed = isBig ? file.u64.bind(file) : file.u32.bind(file);
    const from = bytes <= inline ? valuesAt : pointed(valuesAt);
    // Tags of unknown types are passed over, as the specification asks.
    if (bytes > 0) entries.set(file.u16(at), { type, count: values, offset: from });
  }
  const nextAt = offset + head + count * size;
  const next = isBig ? file.u64(nextAt) : file.u32(nextAt);
  return { directory: new Directory(file, offset, entries), next };
};
