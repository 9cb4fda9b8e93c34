import { fstatSync } from 'node:fs';
import { type BaseFile, readFully } from '../base-file.js';
import { malformed } from '../delta.error.js';
import { type ResultFile } from '../result-file.js';
import { bunzip2, type FilePart } from './bzip2-part.js';
import { ScratchFiles } from './scratch-files.js';

const HEADER_BYTES = 32;
const TRIPLE_BYTES = 24;
const PIECE_BYTES = 256 * 1_024;
/** A control triple is three numbers, and makes some bytes of the result. */
const CONTROL_BYTES_MIN = 1_024 ** 2;
const CONTROL_PER_RESULT = 4;

const HIGH = 2 ** 32;
const SIGN = 0x80;

/** A signed integer of bsdiff: 63 bits of magnitude, lowest byte first, and a sign. */
const integerAt = (bytes: Buffer, at: number): number => {
  const top = bytes.readUInt8(at + 7);
  const high = bytes.readUInt32LE(at + 4) - (top >= SIGN ? SIGN * 2 ** 24 : 0);
  const magnitude = high * HIGH + bytes.readUInt32LE(at);
  if (magnitude > Number.MAX_SAFE_INTEGER) return malformed('a number is too large');
  return top >= SIGN ? -magnitude : magnitude;
};

interface Parts {
  readonly control: FilePart;
  readonly diff: FilePart;
  readonly extra: FilePart;
  readonly resultBytes: number;
}

const partsOf = (fd: number): Parts => {
  const bytes = fstatSync(fd).size;
  if (bytes < HEADER_BYTES) malformed('the patch ends early');
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  readFully(fd, header, 0);
  const [control, diff, resultBytes] = [8, 16, 24].map((at) => integerAt(header, at));
  if (control === undefined || diff === undefined || resultBytes === undefined) {
    return malformed('the header is incomplete');
  }
  const extra = bytes - HEADER_BYTES - control - diff;
  if (control < 0 || diff < 0 || extra < 0 || resultBytes < 0) {
    malformed('the lengths of the header contradict the size of the patch');
  }
  const diffAt = HEADER_BYTES + control;
  return {
    control: { fd, position: HEADER_BYTES, length: control },
    diff: { fd, position: diffAt, length: diff },
    extra: { fd, position: diffAt + diff, length: extra },
    resultBytes,
  };
};

/**
 * Applies a patch of bsdiff 4. Its three parts are decompressed to files, so that memory holds
 * pieces only.
 * @param patchFd open for reading
 * @param scratch an existing folder for the parts
 * @throws DeltaError
 */
export const decodeBsdiff = (
  patchFd: number,
  base: BaseFile,
  result: ResultFile,
  scratch: string,
): void => {
  const parts = partsOf(patchFd);
  const { resultBytes } = parts;
  result.demandRoom(resultBytes);
  const files = new ScratchFiles(scratch);
  try {
    const expand = (part: FilePart, name: string, bytesMax: number): Unpacked => {
      const fd = files.create(name);
      return new Unpacked(fd, bunzip2(part, fd, bytesMax));
    };
    const controlMax = Math.max(CONTROL_BYTES_MIN, CONTROL_PER_RESULT * resultBytes);
    const control = expand(parts.control, 'control', controlMax);
    const diff = expand(parts.diff, 'diff', resultBytes);
    const extra = expand(parts.extra, 'extra', resultBytes);
    new Patching(base, result, resultBytes).run(control, diff, extra);
  } finally {
    files.close();
  }
};

/** A part of the patch without its compression, read from its first byte to its last. */
class Unpacked {
  #at = 0;

  constructor(
    private readonly fd: number,
    private readonly bytes: number,
  ) {}

  get isAtEnd(): boolean {
    return this.#at === this.bytes;
  }

  read(target: Buffer): void {
    readFully(this.fd, target, this.#at);
    this.#at += target.length;
  }
}

/** Makes the result: differences added to bytes of the base, then bytes of its own, in turns. */
class Patching {
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES);
  readonly #old = Buffer.allocUnsafe(PIECE_BYTES);
  #basePosition = 0;

  constructor(
    private readonly base: BaseFile,
    private readonly result: ResultFile,
    private readonly resultBytes: number,
  ) {}

  run(control: Unpacked, diff: Unpacked, extra: Unpacked): void {
    const triple = Buffer.allocUnsafe(TRIPLE_BYTES);
    while (this.result.bytes < this.resultBytes) {
      control.read(triple);
      const [added, copied, seek] = [0, 8, 16].map((at) => integerAt(triple, at));
      if (added === undefined || copied === undefined || seek === undefined) {
        return malformed('a triple is incomplete');
      }
      if (added < 0 || copied < 0) malformed('a triple has a negative length');
      this.#demand(added + copied);
      this.#each(diff, added, (piece) => this.#addBase(piece));
      this.#each(extra, copied, () => undefined);
      this.#basePosition += seek;
    }
    if (!control.isAtEnd || !diff.isAtEnd || !extra.isAtEnd) {
      malformed('the patch has bytes that it does not use');
    }
  }

  #demand(bytes: number): void {
    if (this.result.bytes + bytes > this.resultBytes) {
      malformed('the patch makes more than it declares');
    }
  }

  #each(part: Unpacked, length: number, change: (piece: Buffer) => void): void {
    for (let left = length; left > 0;) {
      const piece = this.#piece.subarray(0, Math.min(left, PIECE_BYTES));
      part.read(piece);
      change(piece);
      this.result.write(piece);
      left -= piece.length;
    }
  }

  /** As in bspatch, a position outside the base counts as a zero. */
  #addBase(piece: Buffer): void {
    const start = this.#basePosition;
    const from = Math.max(start, 0);
    const count = Math.min(start + piece.length, this.base.bytes) - from;
    if (count > 0) {
      this.base.copy(from, this.#old, 0, count);
      const offset = from - start;
      for (let index = 0; index < count; index += 1) {
        piece[offset + index] = (piece[offset + index] ?? 0) + (this.#old[index] ?? 0);
      }
    }
    this.#basePosition += piece.length;
  }
}
