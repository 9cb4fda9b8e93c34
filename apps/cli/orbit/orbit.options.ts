import { InvalidArgumentError } from 'commander';

const DECIMAL = /^-?\d{1,6}(\.\d{1,8})?$/;

const numberOf = (text: string, least: number, most: number): number => {
  const value = DECIMAL.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new InvalidArgumentError(`Expected a number from ${least} to ${most}.`);
};

export const degreesOf =
  (least: number, most: number) =>
  (text: string): number =>
    numberOf(text, least, most);

export const metresOf = (text: string): number => numberOf(text, -500, 9_000);
