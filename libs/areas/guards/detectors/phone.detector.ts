import { type Detector, firstMatch, isAlphanumeric, isDigit } from './detector.js';

/** E.164: a country code and a number, 15 digits together. */
const DIGITS_MAX = 15;
const DIGITS_MIN = 8;
const SEPARATORS = ' ()-./';
/** Between two digits, as in `+1 (555)`. */
const SEPARATORS_MAX = 2;

const endOf = (text: string, start: number): number => {
  if (isAlphanumeric(text, start - 1)) return 0;
  let [end, at, digits] = [0, start + 1, 0];
  while (digits < DIGITS_MAX) {
    let skipped = 0;
    while (skipped < SEPARATORS_MAX && at < text.length && SEPARATORS.includes(text.charAt(at))) {
      at += 1;
      skipped += 1;
    }
    if (!isDigit(text, at)) break;
    at += 1;
    digits += 1;
    if (digits >= DIGITS_MIN && !isAlphanumeric(text, at)) end = at;
  }
  return end;
};

/** International numbers, as `+44 20 7946 0958`. */
export const phoneDetector: Detector = {
  unitsMax: 1 + DIGITS_MAX * (1 + SEPARATORS_MAX),
  next: (text, from) => firstMatch(text, from, /\+[1-9 (]/g, (start) => endOf(text, start)),
};
