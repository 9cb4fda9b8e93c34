import { InvalidArgumentError } from 'commander';
import { TEAM_NAME_LENGTH_MAX } from '#events/teams/team.events.js';
import { TEAM_ID } from '#events/teams/team.vocabulary.js';

/** @throws InvalidArgumentError */
export const teamOf = (text: string): string => {
  if (TEAM_ID.test(text)) return text;
  throw new InvalidArgumentError('Expected the id of a team: team-<uuid>.');
};

/** @throws InvalidArgumentError */
export const teamNameOf = (text: string): string => {
  if (text.length > 0 && text.length <= TEAM_NAME_LENGTH_MAX) return text;
  throw new InvalidArgumentError(`Expected 1 to ${TEAM_NAME_LENGTH_MAX} characters.`);
};
