const HEX_DIGITS = 8;

const hexOf = (bits: number): string => (bits >>> 0).toString(16).padStart(HEX_DIGITS, '0');

/**
 * 64 bits of a text in hex, to spread texts over keys. It is no digest: a person can make two texts
 * with the same bits, so a reader compares the texts as well.
 */
export const textBits = (text: string): string => {
  let first = 0x9e3779b9;
  let second = 0x85ebca6b;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    first = Math.imul(first ^ unit, 0x01000193);
    first ^= first >>> 15;
    second = Math.imul(second ^ unit, 0x5bd1e995);
    second ^= second >>> 15;
  }
  return hexOf(first) + hexOf(second);
};
