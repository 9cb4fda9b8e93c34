import { type BaseFile } from '../base-file.js';
import { DeltaError, malformed } from '../delta.error.js';
import { type ResultFile } from '../result-file.js';
import { AddressCache } from './address-cache.js';
import { adler32 } from './adler32.js';
import { ADD, CODE_TABLE, COPY, NOOP } from './code-table.js';
import { DeltaStream } from './delta-stream.js';
import { readHeader } from './vcdiff.header.js';
import { readWindow, type Segment, type Window } from './vcdiff.window.js';

/**
 * Applies a delta of RFC 3284, with the checksums and the comment of xdelta3. Memory holds one
 * window at a time.
 * @param deltaFd open for reading
 * @throws DeltaError
 */
export const decodeVcdiff = (deltaFd: number, base: BaseFile, result: ResultFile): void => {
  const delta = new DeltaStream(deltaFd);
  const compressor = readHeader(delta);
  if (delta.left === 0) malformed('the delta ends after its header');
  while (delta.left > 0) {
    const window = readWindow(delta, compressor);
    result.demandRoom(window.targetBytes);
    const source = window.segment.of === 'base' ? base : result;
    demandSegment(window.segment, source.bytes);
    const target = new WindowDecoder(window, source).decode();
    if (window.adler32 !== null && window.adler32 !== adler32(target)) {
      const message = 'the delta was made from another base: the checksum of a window differs';
      throw new DeltaError('base_mismatch', message);
    }
    result.write(target);
  }
};

const demandSegment = ({ of, position, length }: Segment, bytes: number): void => {
  if (position + length <= bytes) return;
  if (of === 'result') malformed('a window copies from beyond the result so far');
  const message = 'the delta was made from another base: it is longer than this one';
  throw new DeltaError('base_mismatch', message);
};

type Source = Pick<BaseFile, 'copy'>;

/** Runs the instructions of one window. */
class WindowDecoder {
  readonly #target: Buffer;
  readonly #cache = new AddressCache();
  #at = 0;

  constructor(
    private readonly window: Window,
    private readonly source: Source,
  ) {
    this.#target = Buffer.allocUnsafe(window.targetBytes);
  }

  decode(): Buffer {
    const { data, instructions, addresses } = this.window;
    while (!instructions.isAtEnd) {
      const code = CODE_TABLE[instructions.byte()];
      if (!code) return malformed('a code has no instruction');
      this.#run(code.type1, code.size1, code.mode1);
      if (code.type2 !== NOOP) this.#run(code.type2, code.size2, code.mode2);
    }
    if (this.#at !== this.#target.length) malformed('a window makes less than it declares');
    if (!data.isAtEnd || !addresses.isAtEnd) malformed('a window has bytes that it does not use');
    return this.#target;
  }

  #run(type: number, fixedSize: number, mode: number): void {
    const size = fixedSize === 0 ? this.window.instructions.integer() : fixedSize;
    if (this.#at + size > this.#target.length) malformed('a window makes more than it declares');
    if (type === COPY) this.#copy(size, mode);
    else if (type === ADD) this.window.data.take(size).copy(this.#target, this.#at);
    else this.#target.fill(this.window.data.byte(), this.#at, this.#at + size);
    this.#at += size;
  }

  /** From the segment, from the output of the window, or from the end of one into the other. */
  #copy(size: number, mode: number): void {
    const { segment, addresses } = this.window;
    const address = this.#cache.decode(mode, segment.length + this.#at, addresses);
    const ofSegment = Math.max(0, Math.min(size, segment.length - address));
    if (ofSegment > 0) {
      this.source.copy(segment.position + address, this.#target, this.#at, ofSegment);
    }
    if (ofSegment < size) {
      const from = Math.max(0, address - segment.length);
      this.#repeat(from, this.#at + ofSegment, size - ofSegment);
    }
  }

  /** A copy may overlap what it makes: then it repeats it. */
  #repeat(from: number, at: number, size: number): void {
    const target = this.#target;
    if (from + size <= at) {
      target.copyWithin(at, from, from + size);
      return;
    }
    for (let index = 0; index < size; index += 1) {
      target[at + index] = target[from + index] ?? 0;
    }
  }
}
