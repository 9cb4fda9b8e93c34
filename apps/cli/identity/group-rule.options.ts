import { InvalidArgumentError } from 'commander';
import { GROUP_LENGTH_MAX, ISSUER } from '#events/identity/group-rule.events.js';

/** @throws InvalidArgumentError */
export const groupOf = (text: string): string => {
  if (text.length > 0 && text.length <= GROUP_LENGTH_MAX) return text;
  throw new InvalidArgumentError(`Expected 1 to ${GROUP_LENGTH_MAX} characters.`);
};

/** @throws InvalidArgumentError */
export const issuerOf = (text: string): string => {
  if (ISSUER.test(text)) return text;
  throw new InvalidArgumentError('Expected the URL of an issuer, of at most 512 characters.');
};
