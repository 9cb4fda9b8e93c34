import { createHash, type Hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { readFully } from './base-file.js';
import { DeltaError, malformed } from './delta.error.js';

export interface ResultDigests {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Null unless it was asked for. */
  readonly md5: string | null;
}

/** Writes the result from its first byte to its last, hashes it, and bounds it. */
export class ResultFile {
  readonly #sha256: Hash = createHash('sha256');
  readonly #md5: Hash | null;
  #bytes = 0;

  /** @param fd an empty file, open for reading and writing; the caller closes it */
  constructor(
    private readonly fd: number,
    private readonly bytesMax: number,
    withMd5: boolean,
  ) {
    this.#md5 = withMd5 ? createHash('md5') : null;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws DeltaError `too_large` before anything is written */
  demandRoom(bytes: number): void {
    if (this.#bytes + bytes <= this.bytesMax) return;
    const message = `the result of the delta has more than ${this.bytesMax} bytes`;
    throw new DeltaError('too_large', message);
  }

  write(piece: Buffer): void {
    this.demandRoom(piece.length);
    for (let done = 0; done < piece.length;) done += writeSync(this.fd, piece, done);
    this.#sha256.update(piece);
    this.#md5?.update(piece);
    this.#bytes += piece.length;
  }

  /** Copies earlier output. @throws DeltaError `malformed` for a read beyond it */
  copy(position: number, target: Buffer, at: number, length: number): void {
    if (position < 0 || position + length > this.#bytes) {
      malformed('the delta reads beyond the result so far');
    }
    readFully(this.fd, target.subarray(at, at + length), position);
  }

  /** Of the whole; nothing can be written afterwards. */
  digests(): ResultDigests {
    return { sha256: this.#sha256.digest('hex'), md5: this.#md5?.digest('hex') ?? null };
  }
}
