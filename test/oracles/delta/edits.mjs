/** Pairs of files: a base, and what random edits make of it. The same seed gives the same pair. */

/** Mulberry32: a small generator whose numbers do not depend on the version of Node. */
const numbersOf = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const WORDS = ['rental', 'workspace', 'weights', 'gradient', 'epoch', 'loss', '\n', ' = ', '0.25'];

/** @returns {{ base: Buffer, result: Buffer }} */
export const editedPair = (seed, bytes) => {
  const next = numbersOf(seed);
  const upTo = (max) => Math.floor(next() * max);
  const noise = (length) => Buffer.from(Array.from({ length }, () => upTo(256)));
  const text = (length) => {
    let made = '';
    while (made.length < length) made += WORDS[upTo(WORDS.length)];
    return Buffer.from(made.slice(0, length), 'latin1');
  };
  const base = seed % 2 === 0 ? noise(bytes) : text(bytes);
  const pieces = [];
  for (let at = 0; at < base.length;) {
    const length = 1 + upTo(Math.max(2, bytes / 8));
    pieces.push(base.subarray(at, at + length));
    at += length;
    const edit = upTo(6);
    if (edit === 0) pieces.push(noise(upTo(40)));
    if (edit === 1) at += upTo(30);
    if (edit === 2) pieces.push(Buffer.alloc(upTo(300), upTo(256)));
    if (edit === 3) pieces.push(base.subarray(0, upTo(base.length)));
    if (edit === 4) pieces.push(Buffer.concat(pieces).subarray(-upTo(200)));
  }
  return { base, result: Buffer.concat(pieces).subarray(0, 4 * bytes) };
};
