import { type Detector, isAlphanumeric, type Match } from './detector.js';

/** RFC 5321, 4.5.3.1. */
const LOCAL_UNITS_MAX = 64;
const DOMAIN_UNITS_MAX = 253;

/** Others that RFC 5322 allows are more often the signs around an address: `to=a@b.example`. */
const isLocal = (text: string, at: number): boolean =>
  isAlphanumeric(text, at) || (at >= 0 && '._%+-'.includes(text.charAt(at) || ' '));

const isDomain = (text: string, at: number): boolean =>
  isAlphanumeric(text, at) || '.-'.includes(text.charAt(at) || ' ');

const LABEL = /^[a-z0-9-]{1,63}$/i;
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/i;

/** The end of the longest domain that begins here: two labels, or more; 0 for none. */
const endOfDomain = (text: string, start: number): number => {
  let limit = start;
  while (limit - start < DOMAIN_UNITS_MAX && isDomain(text, limit)) limit += 1;
  let [at, end] = [start, 0];
  for (const label of text.slice(start, limit).split('.')) {
    // A sentence may end behind a domain: `a@b.example.`, `a@b.example-`.
    const whole = withoutHyphens(label);
    if (!LABEL.test(whole)) break;
    if (at > start && TOP_LABEL.test(whole)) end = at + whole.length;
    if (whole !== label) break;
    at += label.length + 1;
  }
  return end;
};

const withoutHyphens = (label: string): string => {
  let end = label.length;
  while (label.charAt(end - 1) === '-') end -= 1;
  return label.slice(0, end);
};

/** Addresses of ASCII letters, as `name@host.example`. */
export const emailDetector: Detector = {
  unitsMax: LOCAL_UNITS_MAX + 1 + DOMAIN_UNITS_MAX,
  next: (text, from): Match | undefined => {
    for (let at = text.indexOf('@', from); at >= 0; at = text.indexOf('@', at + 1)) {
      let start = at;
      while (at - start < LOCAL_UNITS_MAX && isLocal(text, start - 1)) start -= 1;
      if (start === at || start < from) continue;
      const end = endOfDomain(text, at + 1);
      if (end > 0) return { start, end };
    }
    return undefined;
  },
};
