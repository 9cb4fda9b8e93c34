const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A native search is faster than the loop when it skips more bytes than this. */
const LOOP_BYTES = 256;

/**
 * The position of the quote that ends a string, or the end of the bytes.
 * @param from behind the quote that opens it
 */
export const endOfString = (bytes: Buffer, from: number): number => {
  let at = from;
  while (at < bytes.length) {
    const near = Math.min(at + LOOP_BYTES, bytes.length);
    while (at < near) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    let escapes = quote;
    while (escapes > at && bytes[escapes - 1] === BACKSLASH) escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote;
    at = quote + 1;
  }
  return bytes.length;
};
