import { type Detector, firstMatch, isAlphanumeric, isDigit } from './detector.js';

/** ISO/IEC 7812. */
const DIGITS_MIN = 13;
const DIGITS_MAX = 19;

/** The formula of Luhn. */
const isValid = (digits: string): boolean => {
  let sum = 0;
  for (let n = 0; n < digits.length; n += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - n));
    const doubled = n % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
};

const endOf = (text: string, start: number): number => {
  if (isAlphanumeric(text, start - 1) || text.charAt(start - 1) === '.') return 0;
  let [digits, at, end] = ['', start, 0];
  while (digits.length < DIGITS_MAX) {
    const sign = text.charAt(at);
    if (digits !== '' && (sign === ' ' || sign === '-')) at += 1;
    if (!isDigit(text, at)) break;
    digits += text.charAt(at);
    at += 1;
    const isWhole = digits.length >= DIGITS_MIN && !isAlphanumeric(text, at);
    if (isWhole && isValid(digits)) end = at;
  }
  return end;
};

/** Numbers of payment cards whose checksum is right; also in groups. Networks begin with 2 to 6. */
export const cardDetector: Detector = {
  unitsMax: DIGITS_MAX * 2,
  next: (text, from) => firstMatch(text, from, /[2-6][\d -]/g, (start) => endOf(text, start)),
};
