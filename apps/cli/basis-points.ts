import { InvalidArgumentError } from 'commander';

const WHOLE = 10_000;

/**
 * A percentage, for commander.
 * @throws InvalidArgumentError unless it is from 0 to 100 with at most two decimals
 */
export const basisPointsOf = (text: string): number => {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text);
  const [, whole = '', decimals = ''] = match ?? [];
  const basisPoints = Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  if (match && basisPoints <= WHOLE) return basisPoints;
  throw new InvalidArgumentError('Expected a percentage from 0 to 100, such as 17.5.');
};

export const percentText = (basisPoints: number): string => `${basisPoints / 100} %`;
