import { malformed } from '../wasm.errors.js';

const U32_MAX = 0xffff_ffff;

/** Reads the binary format of WebAssembly from `start` up to `end`, and never beyond. */
export class ByteReader {
  at: number;

  constructor(
    readonly bytes: Uint8Array,
    readonly start = 0,
    readonly end = bytes.length,
  ) {
    this.at = start;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** @throws WasmError `module_invalid` at the end, as all readers here do */
  byte(): number {
    const byte = this.at < this.end ? this.bytes[this.at] : undefined;
    if (byte === undefined) return malformed('the module ends in the middle of an item');
    this.at += 1;
    return byte;
  }

  skip(count: number): void {
    if (count > this.end - this.at) malformed('the module ends in the middle of an item');
    this.at += count;
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value <= U32_MAX ? value : malformed('a number is too large');
    }
    return malformed('a number is too long');
  }

  /** A LEB128 number of at most 64 bits, of either sign. */
  skipNumber(): void {
    for (let count = 0; count < 10; count += 1) if (this.byte() < 0x80) return;
    malformed('a number is too long');
  }

  /** An unsigned LEB128 number of at most 64 bits; what does not fit into a double is rounded. */
  u64(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return malformed('a number is too long');
  }

  /** A signed LEB128 number of at most 64 bits. */
  signed(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(Number(shift) + 7, value);
    }
    return malformed('a number is too long');
  }

  /** The number of items of a vector, each of which has at least one byte. */
  count(): number {
    const count = this.u32();
    return count <= this.end - this.at ? count : malformed('a vector is longer than the module');
  }

  text(): string {
    const length = this.count();
    const start = this.at;
    this.skip(length);
    return new TextDecoder().decode(this.bytes.subarray(start, this.at));
  }

  /** A reader of the next bytes, which this reader skips. */
  part(length: number): ByteReader {
    const start = this.at;
    this.skip(length);
    return new ByteReader(this.bytes, start, this.at);
  }
}
