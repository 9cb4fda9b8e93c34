import { InvalidArgumentError } from 'commander';
import { PrivacyDecimal } from '#events/cleanrooms/cleanroom.events.js';

export const decimalOf = (text: string): string => {
  if (PrivacyDecimal.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a plain decimal, such as 0.5.');
};
