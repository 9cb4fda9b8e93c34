import { type Detector, firstMatch, isAlphanumeric } from './detector.js';

/** Characters of an IBAN by country, from the registry of ISO 13616. */
const LENGTHS: Readonly<Record<string, number>> = {
  ...{ AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BI: 27, BR: 29 },
  ...{ BY: 28, CH: 21, CR: 22, CY: 28, CZ: 24, DE: 22, DJ: 27, DK: 18, DO: 28, EE: 20, EG: 29 },
  ...{ ES: 24, FI: 18, FK: 18, FO: 18, FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28 },
  ...{ HN: 28, HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23, IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20 },
  ...{ LB: 28, LC: 32, LI: 21, LT: 20, LU: 20, LV: 21, LY: 25, MC: 27, MD: 24, ME: 22, MK: 19 },
  ...{ MN: 20, MR: 27, MT: 31, MU: 30, NI: 28, NL: 18, NO: 15, OM: 23, PK: 24, PL: 28, PS: 29 },
  ...{ PT: 25, QA: 29, RO: 24, RS: 22, RU: 33, SA: 24, SC: 31, SD: 18, SE: 24, SI: 19, SK: 24 },
  ...{ SM: 27, SO: 23, ST: 25, SV: 28, TL: 23, TN: 24, TR: 26, UA: 29, VA: 22, VG: 24, XK: 20 },
  YE: 30,
};

const LENGTH_MAX = 34;

/** ISO 7064, MOD 97-10: letters count from 10, and the first four characters come last. */
const isValid = (iban: string): boolean => {
  const moved = `${iban.slice(4)}${iban.slice(0, 4)}`;
  let rest = 0;
  for (const character of moved) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
};

const endOf = (text: string, start: number): number => {
  const country = text.slice(start, start + 2).toUpperCase();
  const length = Object.hasOwn(LENGTHS, country) ? LENGTHS[country] : undefined;
  if (length === undefined || isAlphanumeric(text, start - 1)) return 0;
  let [iban, at] = ['', start];
  while (iban.length < length) {
    const sign = text.charAt(at);
    if (iban !== '' && (sign === ' ' || sign === '-')) at += 1;
    if (!isAlphanumeric(text, at)) return 0;
    iban += text.charAt(at);
    at += 1;
  }
  return !isAlphanumeric(text, at) && isValid(iban) ? at : 0;
};

/** Account numbers of ISO 13616, whose checksum is right; also in groups. */
export const ibanDetector: Detector = {
  unitsMax: LENGTH_MAX * 2,
  next: (text, from) => firstMatch(text, from, /[a-z]{2}\d/gi, (start) => endOf(text, start)),
};
