/** The bytes are no message of the protocol; the caller gets INVALID_ARGUMENT. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const VARINT_BYTES_MAX = 10;

/** Seven bits per byte, and numbers are exact to 53 bits: this many bytes need no bigint. */
const SAFE_VARINT_BYTES = 7;

/**
 * Walks the fields of one protobuf message in place: `while (reader.next()) switch (reader.field)`,
 * each field then read or skipped.
 */
export class MessageReader {
  readonly #bytes: Buffer;
  #at = 0;
  #wireType = 0;
  #field = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Bytes of the whole message. */
  get size(): number {
    return this.#bytes.length;
  }

  /** The number of the field that `next` came to. */
  get field(): number {
    return this.#field;
  }

  /** @throws MalformedMessageError, as every other method */
  next(): boolean {
    if (this.#at >= this.#bytes.length) return false;
    const tag = Number(this.#varint());
    this.#field = Math.floor(tag / 8);
    this.#wireType = tag % 8;
    if (this.#field === 0) throw new MalformedMessageError('a field has no number');
    return true;
  }

  /** Unsigned, of 64 bits. */
  uint64(): bigint {
    this.#expect(WIRE.varint);
    return BigInt(this.#varint());
  }

  /** Two's complement, of 64 bits. */
  int64(): bigint {
    return BigInt.asIntN(64, this.uint64());
  }

  uint32(): number {
    return Number(BigInt.asUintN(32, this.uint64()));
  }

  bool(): boolean {
    this.#expect(WIRE.varint);
    return Number(this.#varint()) !== 0;
  }

  /** A view of the message's own bytes, not a copy. */
  bytes(): Buffer {
    this.#expect(WIRE.bytes);
    const length = Number(this.#varint());
    return this.#take(length);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  message(): MessageReader {
    return new MessageReader(this.bytes());
  }

  skip(): void {
    switch (this.#wireType) {
      case WIRE.varint:
        this.#varint();
        return;
      case WIRE.fixed64:
        this.#take(8);
        return;
      case WIRE.bytes:
        this.bytes();
        return;
      case WIRE.fixed32:
        this.#take(4);
        return;
      default:
        throw new MalformedMessageError(`field ${this.#field} has wire type ${this.#wireType}`);
    }
  }

  #expect(wireType: number): void {
    if (this.#wireType === wireType) return;
    throw new MalformedMessageError(
      `field ${this.#field} has wire type ${this.#wireType}, not ${wireType}`,
    );
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new MalformedMessageError('the message is cut short');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #varint(): number | bigint {
    const start = this.#at;
    let value = 0;
    let weight = 1;
    for (let at = start; at < start + SAFE_VARINT_BYTES; at += 1) {
      const byte = this.#byte(at);
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) {
        this.#at = at + 1;
        return value;
      }
      weight *= 0x80;
    }
    return this.#longVarint(BigInt(value), start + SAFE_VARINT_BYTES, start + VARINT_BYTES_MAX);
  }

  #longVarint(low: bigint, from: number, end: number): bigint {
    let value = low;
    let shift = BigInt(7 * SAFE_VARINT_BYTES);
    for (let at = from; at < end; at += 1) {
      const byte = this.#byte(at);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.#at = at + 1;
        return BigInt.asUintN(64, value);
      }
      shift += 7n;
    }
    throw new MalformedMessageError('a number takes more than ten bytes');
  }

  #byte(at: number): number {
    const byte = this.#bytes[at];
    if (byte === undefined) throw new MalformedMessageError('the message is cut short');
    return byte;
  }
}
