import { InvalidArgumentError } from 'commander';
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

export const startOfTailOf = (text: string): StartOfTail => {
  if (text === 'end') return 'end';
  const position = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (position === undefined || position > POSITION_MAX) {
    throw new InvalidArgumentError('Expected a position in the log, or "end".');
  }
  return position;
};

export const limitOf = (text: string): number => {
  const limit = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
  if (limit === undefined) throw new InvalidArgumentError('Expected a whole number above zero.');
  return limit;
};

export const reasonOf = (text: string): string => textOf(text, REASON_LENGTH_MAX);

export const depositIdOf = (text: string): string => textOf(text, DEPOSIT_ID_LENGTH_MAX);

export const prefixOf = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('Expected at least one character.');
  return text;
};

const textOf = (text: string, lengthMax: number): string => {
  if (text.trim() !== '' && text.length <= lengthMax) return text;
  throw new InvalidArgumentError(`Expected 1 to ${lengthMax} characters.`);
};
