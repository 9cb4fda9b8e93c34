import { InvalidArgumentError } from 'commander';

export const monthOf = (text: string): string => {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a month, such as 2026-11.');
};
