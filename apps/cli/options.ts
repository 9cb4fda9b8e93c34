import { InvalidArgumentError } from 'commander';
import { Tag } from '#events/hold.vocabulary.js';
import { type MicroUsd, parseUsd } from '#platform/kernel/money.js';

/** Parsers for commander, which prefixes their errors with the name of the option. */

const AMOUNT_DIGITS_MAX = 18;
const REASON_LENGTH_MAX = 500;
const DEPOSIT_ID_LENGTH_MAX = 200;
const POSITION_MAX = 2n ** 63n - 1n;

/** @throws InvalidArgumentError unless it is a positive amount in whole micro-dollars */
export const usdOf = (text: string): MicroUsd => {
  let amount: MicroUsd;
  try {
    amount = parseUsd(text);
  } catch {
    throw new InvalidArgumentError('Expected dollars with at most 6 decimals, such as 12.50.');
  }
  if (amount <= 0n) throw new InvalidArgumentError('Expected an amount above zero.');
  if (amount.toString().length > AMOUNT_DIGITS_MAX) {
    throw new InvalidArgumentError('Expected less than a million million dollars.');
  }
  return amount;
};

/** A position in the log; `end` is the position after the last event. */
export type StartOfTail = bigint | 'end';

export const startOfTailOf = (text: string): StartOfTail =>
  text === 'end' ? text : readPosition(text, 'Expected a position in the log, or "end".');

export const positionOf = (text: string): bigint =>
  readPosition(text, 'Expected a position in the log.');

const readPosition = (text: string, message: string): bigint => {
  const position = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (position === undefined || position > POSITION_MAX) throw new InvalidArgumentError(message);
  return position;
};

export const limitOf = (text: string): number => {
  const limit = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
  if (limit === undefined) throw new InvalidArgumentError('Expected a whole number above zero.');
  return limit;
};

/** A leaf of the log, which count from 0. */
export const leafOf = (text: string): number => {
  const leaf = /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
  if (leaf === undefined) throw new InvalidArgumentError('Expected a whole number.');
  return leaf;
};

/** As many as one page of a list may have. */
const PAGE_MAX = 1_000;

export const pageLimitOf = (text: string): number => {
  const limit = limitOf(text);
  if (limit <= PAGE_MAX) return limit;
  throw new InvalidArgumentError(`Expected at most ${PAGE_MAX}.`);
};

const DAYS_MAX = 365;

export const daysOf = (text: string): number => {
  const days = limitOf(text);
  if (days <= DAYS_MAX) return days;
  throw new InvalidArgumentError(`Expected at most ${DAYS_MAX} days.`);
};

export const reasonOf = (text: string): string => textOf(text, REASON_LENGTH_MAX);

export const depositIdOf = (text: string): string => textOf(text, DEPOSIT_ID_LENGTH_MAX);

const match = (text: string, pattern: RegExp, expected: string): string => {
  if (pattern.test(text)) return text;
  throw new InvalidArgumentError(`Expected ${expected}.`);
};

export const monthOf = (text: string): string =>
  match(text, /^\d{4}-(0[1-9]|1[0-2])$/, 'a month, such as 2026-11');

export const countryOf = (text: string): string =>
  match(text, /^[A-Z]{2}$/, 'two capital letters, such as DE');

export const regionOf = (text: string): string =>
  match(text, /^[A-Z0-9]{1,3}$/, '1 to 3 capital letters or digits, such as QC');

export const urlOf = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError(
    'Expected the address of a gateway, such as http://127.0.0.1:8080',
  );
};

export const uuidOf = (text: string): string =>
  match(text, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID in lower case');

/** A day in UTC means its first instant. */
export const instantOf = (text: string): string => {
  const full = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00.000Z` : text;
  const isKnown = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(full);
  const time = isKnown ? Date.parse(full) : NaN;
  if (!Number.isNaN(time) && full.startsWith(new Date(time).toISOString().slice(0, 19))) {
    return new Date(time).toISOString();
  }
  throw new InvalidArgumentError('Expected a day or an instant in UTC, such as 2026-11-21.');
};

/** The id of a key, as a list of keys shows it. */
export const keyIdOf = (text: string): string => {
  if (/^[0-9a-f]{16}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the id of a key: 16 hex digits.');
};

export const tagOf = (text: string): string => {
  if (Tag.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a tag such as project=alpha.');
};

/** The id of a request, as the header `x-request-id` has it. */
export const requestIdOf = (text: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('Expected the id of a request: a UUID.');
};

const PERCENTS_MAX = 10;

/** @returns them in ascending order */
export const percentsOf = (text: string): readonly number[] => {
  const percents = text === '' ? [] : text.split(',').map(Number);
  const isPercent = (one: number): boolean => Number.isInteger(one) && one >= 1 && one <= 100;
  const isSet = new Set(percents).size === percents.length && percents.length <= PERCENTS_MAX;
  if (isSet && percents.every(isPercent)) return percents.sort((one, other) => one - other);
  throw new InvalidArgumentError(
    `Expected at most ${PERCENTS_MAX} different percents from 1 to 100, such as 50,80,100.`,
  );
};

export const prefixOf = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('Expected at least one character.');
  return text;
};

const textOf = (text: string, lengthMax: number): string => {
  if (text.trim() !== '' && text.length <= lengthMax) return text;
  throw new InvalidArgumentError(`Expected 1 to ${lengthMax} characters.`);
};

export const dayOf = (text: string): string => {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  if (isDay) return text;
  throw new InvalidArgumentError('Expected a day such as 2026-11-21.');
};
