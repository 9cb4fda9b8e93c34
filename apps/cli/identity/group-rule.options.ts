import { InvalidArgumentError } from 'commander';
import { GROUP_LENGTH_MAX, ISSUER, TeamGrant } from '#events/identity/group-rule.events.js';

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

/** One more team, such as `team-<uuid>=developer`. @throws InvalidArgumentError */
export const teamGrantsOf = (text: string, before: readonly TeamGrant[]): readonly TeamGrant[] => {
  const [teamId, role] = text.split('=');
  const parsed = TeamGrant.safeParse({ teamId, role });
  if (parsed.success) return [...before, parsed.data];
  throw new InvalidArgumentError('Expected the id of a team and a role: team-<uuid>=developer.');
};
