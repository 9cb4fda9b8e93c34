import { damaged } from '../rasters.errors.js';

/** Numbers of a TIFF file in its byte order. Every read is within the file. */
export class TiffBytes {
  readonly #view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    readonly littleEndian: boolean,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.bytes.length;
  }

  /** @throws RasterProblem */
  slice(offset: number, length: number): Uint8Array {
    this.#demand(offset, length);
    return this.bytes.subarray(offset, offset + length);
  }

  u16(offset: number): number {
    this.#demand(offset, 2);
    return this.#view.getUint16(offset, this.littleEndian);
  }

  u32(offset: number): number {
    this.#demand(offset, 4);
    return this.#view.getUint32(offset, this.littleEndian);
  }

  /** @throws RasterProblem also beyond 2^53 */
  u64(offset: number): number {
    this.#demand(offset, 8);
    const value = Number(this.#view.getBigUint64(offset, this.littleEndian));
    return Number.isSafeInteger(value) ? value : damaged('a number beyond 2^53');
  }

  f32(offset: number): number {
    this.#demand(offset, 4);
    return this.#view.getFloat32(offset, this.littleEndian);
  }

  f64(offset: number): number {
    this.#demand(offset, 8);
    return this.#view.getFloat64(offset, this.littleEndian);
  }

  #demand(offset: number, length: number): void {
    if (offset >= 0 && offset + length <= this.bytes.length) return;
    damaged(`the file ends before byte ${offset + length}`);
  }
}
