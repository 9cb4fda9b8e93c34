import { createDotKernel, type DotKernel, PAGE_BYTES, strideOf } from './dot-kernel.js';
import { type TopList } from './top-list.js';

/** Rows that one call of the kernel scores: their scores stay in the cache of the processor. */
const ROWS_PER_CALL = 1_024;
const FLOAT_BYTES = 4;
const LIST_BYTES = ROWS_PER_CALL * FLOAT_BYTES;

/** Vectors of one length behind each other in the memory of a kernel. A row keeps its number. */
export class RowBlock {
  readonly #kernel: DotKernel = createDotKernel();
  /** Of a row, in bytes. */
  readonly #stride: number;
  /** The query, the addresses for `gather`, the scores, the rows. */
  readonly #addressesAt: number;
  readonly #scoresAt: number;
  readonly #start: number;
  readonly #isRemoved: boolean[] = [];
  #removed = 0;
  /** Views of the memory, until it grows. */
  #floats = new Float32Array();
  #addresses = new Uint32Array();
  #scores = new Float32Array();

  constructor(readonly dimensions: number) {
    this.#stride = strideOf(dimensions);
    this.#addressesAt = this.#stride;
    this.#scoresAt = this.#addressesAt + LIST_BYTES;
    this.#start = this.#scoresAt + LIST_BYTES;
    this.#reserve(this.#start);
    this.#look();
  }

  /** With the removed ones. */
  get rows(): number {
    return this.#isRemoved.length;
  }

  get removed(): number {
    return this.#removed;
  }

  isRemoved(row: number): boolean {
    return this.#isRemoved[row] ?? true;
  }

  /** @returns its number: 0, 1, … */
  add(vector: Float32Array): number {
    const row = this.rows;
    this.#reserve(this.#addressOf(row + 1));
    this.#floats.set(vector, this.#floatOf(row));
    this.#isRemoved.push(false);
    return row;
  }

  remove(row: number): void {
    if (this.isRemoved(row)) return;
    this.#isRemoved[row] = true;
    this.#removed += 1;
    this.#floats.fill(0, this.#floatOf(row), this.#floatOf(row + 1));
  }

  vectorOf(row: number): Float32Array {
    const at = this.#floatOf(row);
    return this.#floats.slice(at, at + this.dimensions);
  }

  /** For the calls of `scoresOf` and `scan` that follow. */
  setQuery(vector: Float32Array): void {
    this.#floats.set(vector);
  }

  setQueryRow(row: number): void {
    const at = this.#floatOf(row);
    this.#floats.copyWithin(0, at, at + this.dimensions);
  }

  /**
   * The score of each row, at its place in the list. Valid until the next call.
   * @param rows at most 1,024
   */
  scoresOf(rows: readonly number[]): Float32Array {
    for (let at = 0; at < rows.length; at += 1) {
      this.#addresses[at] = this.#addressOf(rows[at] ?? 0);
    }
    if (rows.length > 0) {
      this.#kernel.gather(0, this.#addressesAt, rows.length, this.#stride, this.#scoresAt);
    }
    return this.#scores;
  }

  /** Adds the rows from `first` up to but excluding `end` to the list. */
  scan(list: TopList, first = 0, end = this.rows): void {
    for (let from = first; from < end; from += ROWS_PER_CALL) {
      const count = Math.min(ROWS_PER_CALL, end - from);
      this.#kernel.scores(0, this.#addressOf(from), count, this.#stride, this.#scoresAt);
      for (let at = 0; at < count; at += 1) {
        const score = this.#scores[at] ?? 0;
        if (list.isFull && score < list.leastScore) continue;
        if (!this.isRemoved(from + at)) list.add(from + at, score);
      }
    }
  }

  /** Adds these rows to the list. */
  scanRows(list: TopList, rows: readonly number[]): void {
    for (let from = 0; from < rows.length; from += ROWS_PER_CALL) {
      const some = rows.slice(from, from + ROWS_PER_CALL);
      const scores = this.scoresOf(some);
      for (const [at, row] of some.entries()) list.add(row, scores[at] ?? 0);
    }
  }

  #addressOf(row: number): number {
    return this.#start + row * this.#stride;
  }

  #floatOf(row: number): number {
    return this.#addressOf(row) / FLOAT_BYTES;
  }

  /** Doubles the memory, so that a block of many rows is not copied for each of them. */
  #reserve(bytes: number): void {
    const has = this.#kernel.memory.buffer.byteLength;
    if (bytes <= has) return;
    const wanted = Math.min(Math.max(bytes, 2 * has), Math.max(bytes, BYTES_MAX));
    this.#kernel.memory.grow(Math.ceil((wanted - has) / PAGE_BYTES));
    this.#look();
  }

  #look(): void {
    const { buffer } = this.#kernel.memory;
    this.#floats = new Float32Array(buffer);
    this.#addresses = new Uint32Array(buffer, this.#addressesAt, ROWS_PER_CALL);
    this.#scores = new Float32Array(buffer, this.#scoresAt, ROWS_PER_CALL);
  }
}

/** Of 32-bit addresses. */
const BYTES_MAX = 65_536 * PAGE_BYTES;
