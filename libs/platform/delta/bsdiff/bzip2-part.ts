import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { readFully } from '../base-file.js';
import { DeltaError, malformed } from '../delta.error.js';

/** `seek-bzip` as it is used here; the package has no types. */
interface Bunzip {
  decode(
    input: {
      readByte(): number;
      /** Fills a part of the buffer; returns its length. */
      read(buffer: Uint8Array, at: number, length: number): number;
    },
    output: { writeByte(byte: number): void; flush(): void },
  ): void;
}

const BUFFER_BYTES = 64 * 1_024;

/** A part of a file. */
export interface FilePart {
  readonly fd: number;
  readonly position: number;
  readonly length: number;
}

/**
 * Decompresses a part of a file into another file, in the memory of one block of bzip2. The
 * checksums of the blocks and of the whole are verified.
 * @param targetFd an empty file, open for writing
 * @returns the bytes written
 * @throws DeltaError `malformed`, `too_large` above `bytesMax`
 */
export const bunzip2 = (part: FilePart, targetFd: number, bytesMax: number): number => {
  // Loaded when the first such patch comes.
  const bunzip = createRequire(import.meta.url)('seek-bzip') as Bunzip;
  const output = new PartWriter(targetFd, bytesMax);
  try {
    bunzip.decode(new PartReader(part), output);
  } catch (error) {
    if (error instanceof DeltaError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return malformed(`a part of the patch is not bzip2: ${reason}`);
  }
  output.flush();
  return output.bytes;
};

class PartReader {
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #filled = 0;
  #at = 0;
  #read = 0;

  constructor(private readonly part: FilePart) {}

  readByte(): number {
    if (this.#at === this.#filled) this.#fill();
    const byte = this.#buffer[this.#at];
    this.#at += 1;
    return byte ?? 0;
  }

  read(buffer: Uint8Array, at: number, length: number): number {
    for (let index = 0; index < length; index += 1) buffer[at + index] = this.readByte();
    return length;
  }

  #fill(): void {
    const { fd, position, length } = this.part;
    const count = Math.min(BUFFER_BYTES, length - this.#read);
    if (count === 0) malformed('a part of the patch ends early');
    readFully(fd, this.#buffer.subarray(0, count), position + this.#read);
    this.#read += count;
    this.#filled = count;
    this.#at = 0;
  }
}

class PartWriter {
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #filled = 0;
  #written = 0;

  constructor(
    private readonly fd: number,
    private readonly bytesMax: number,
  ) {}

  get bytes(): number {
    return this.#written + this.#filled;
  }

  writeByte(byte: number): void {
    if (this.#filled === BUFFER_BYTES) this.flush();
    this.#buffer[this.#filled] = byte;
    this.#filled += 1;
  }

  flush(): void {
    if (this.bytes > this.bytesMax) {
      const message = `a part of the patch has more than ${this.bytesMax} bytes`;
      throw new DeltaError('too_large', message);
    }
    for (let done = 0; done < this.#filled;) {
      done += writeSync(this.fd, this.#buffer, done, this.#filled - done);
    }
    this.#written += this.#filled;
    this.#filled = 0;
  }
}
