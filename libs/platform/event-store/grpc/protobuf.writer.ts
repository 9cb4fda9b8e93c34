const WIRE = { varint: 0, bytes: 2 } as const;

const INITIAL_BYTES = 4_096;

/** UTF-8 never takes more than this for one UTF-16 unit. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

const VARINT_BYTES_MAX = 10;

/** Writes one protobuf message after another into the same memory; `finish` hands out a copy. */
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #at = 0;

  /** A uint32, uint64 or enum, or an int64 that is not negative. */
  uint(field: number, value: number | bigint): void {
    this.#room(2 * VARINT_BYTES_MAX);
    this.#varint(field * 8 + WIRE.varint);
    this.#varint(value);
  }

  int64(field: number, value: bigint): void {
    this.uint(field, BigInt.asUintN(64, value));
  }

  bool(field: number, value: boolean): void {
    this.uint(field, value ? 1 : 0);
  }

  text(field: number, value: string): void {
    this.#room(value.length * UTF8_BYTES_PER_UNIT_MAX + 2 * VARINT_BYTES_MAX);
    this.#varint(field * 8 + WIRE.bytes);
    const start = this.#at;
    this.#at += 1;
    this.#at += this.#bytes.write(value, this.#at, 'utf8');
    this.#insertLength(start);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#room(value.length + 2 * VARINT_BYTES_MAX);
    this.#varint(field * 8 + WIRE.bytes);
    this.#varint(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** @param write writes the fields of the inner message, on this same writer */
  message(field: number, write: () => void): void {
    this.#room(2 * VARINT_BYTES_MAX);
    this.#varint(field * 8 + WIRE.bytes);
    const start = this.#at;
    this.#at += 1;
    write();
    this.#room(VARINT_BYTES_MAX);
    this.#insertLength(start);
  }

  empty(field: number): void {
    this.#room(2 * VARINT_BYTES_MAX);
    this.#varint(field * 8 + WIRE.bytes);
    this.#varint(0);
  }

  finish(): Buffer {
    const message = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    // One large message must not keep its memory for good.
    if (this.#bytes.length > KEPT_BYTES_MAX) this.#bytes = Buffer.allocUnsafe(INITIAL_BYTES);
    return message;
  }

  /** One byte is free at `start`: most lengths fit, and a longer one moves the following bytes. */
  #insertLength(start: number): void {
    const length = this.#at - start - 1;
    const extra = varintBytes(length) - 1;
    if (extra > 0) this.#bytes.copyWithin(start + 1 + extra, start + 1, this.#at);
    this.#at = start;
    this.#varint(length);
    this.#at += length;
  }

  #varint(value: number | bigint): void {
    if (typeof value === 'bigint' && value > BigInt(Number.MAX_SAFE_INTEGER)) {
      this.#longVarint(value);
      return;
    }
    let rest = Number(value);
    while (rest >= 0x80) {
      this.#bytes[this.#at] = (rest % 0x80) + 0x80;
      this.#at += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at] = rest;
    this.#at += 1;
  }

  #longVarint(value: bigint): void {
    let rest = value;
    while (rest >= 0x80n) {
      this.#bytes[this.#at] = Number(rest & 0x7fn) + 0x80;
      this.#at += 1;
      rest >>= 7n;
    }
    this.#bytes[this.#at] = Number(rest);
    this.#at += 1;
  }

  #room(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

const KEPT_BYTES_MAX = 1_048_576;

const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
};
