import { malformed } from './malformed-form.js';

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const ESCAPE_BYTES = 3;

/** Decodes `%41` and `+` of a form that arrives in pieces; an escape may be cut between two. */
export class PercentDecoder {
  #pending = Buffer.alloc(0);

  /** @throws HttpFailure 400 for a % without two hex digits */
  decode(piece: Buffer): Buffer {
    const raw = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]);
    const decoded = Buffer.allocUnsafe(raw.length);
    let [at, length] = [0, 0];
    while (at < raw.length) {
      const byte = raw[at] ?? 0;
      if (byte === PERCENT) {
        if (at + ESCAPE_BYTES > raw.length) break;
        decoded[length] = escapedByte(raw[at + 1] ?? 0, raw[at + 2] ?? 0);
        at += ESCAPE_BYTES;
      } else {
        decoded[length] = byte === PLUS ? SPACE : byte;
        at += 1;
      }
      length += 1;
    }
    this.#pending = Buffer.from(raw.subarray(at));
    return decoded.subarray(0, length);
  }

  /** @throws HttpFailure 400 where an escape is incomplete */
  end(): void {
    if (this.#pending.length > 0) throw malformed('a % is not followed by two hex digits');
  }
}

const NO_DIGIT = 255;
/** The value of each byte as a hex digit. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase());
  return digit === -1 ? NO_DIGIT : digit;
});

const escapedByte = (high: number, low: number): number => {
  const [first = NO_DIGIT, second = NO_DIGIT] = [DIGITS[high], DIGITS[low]];
  if (first === NO_DIGIT || second === NO_DIGIT) {
    throw malformed('a % is not followed by two hex digits');
  }
  return first * 16 + second;
};
