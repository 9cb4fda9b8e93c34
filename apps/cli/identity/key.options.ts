import { InvalidArgumentError } from 'commander';
import { APP_NAME_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { orderedScopes, OVERLAP_SECONDS_MAX } from '#areas/identity/keys/key-policy.js';
import {
  IP_RANGE,
  PATTERN,
  POLICY_ENTRIES_MAX,
  Scope,
  SCOPES,
} from '#events/identity/key-policy.vocabulary.js';

/** Parsers for the options of keys. An empty text is an empty list. */

const wordsIn = (text: string): readonly string[] =>
  text === '' ? [] : text.split(',').map((word) => word.trim());

/** @throws InvalidArgumentError */
export const scopesOf = (text: string): readonly Scope[] =>
  orderedScopes(
    wordsIn(text).map((word) => {
      const scope = Scope.safeParse(word);
      if (scope.success) return scope.data;
      throw new InvalidArgumentError(`Expected some of ${SCOPES.join()}.`);
    }),
  );

const listOf =
  (pattern: RegExp, expected: string) =>
  (text: string): readonly string[] => {
    const words = wordsIn(text);
    if (words.length <= POLICY_ENTRIES_MAX && words.every((word) => pattern.test(word)))
      return words;
    throw new InvalidArgumentError(`Expected at most ${POLICY_ENTRIES_MAX} ${expected}.`);
  };

export const patternsOf = listOf(PATTERN, 'texts, each with at most one * at its end');

export const rangesOf = listOf(IP_RANGE, 'ranges such as 192.0.2.0/24');

/** @throws InvalidArgumentError */
export const instantOf = (text: string): string => {
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
  if (Number.isFinite(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('Expected an instant such as 2026-11-25T19:00:00Z.');
};

/** @throws InvalidArgumentError */
export const overlapOf = (text: string): number => {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : OVERLAP_SECONDS_MAX + 1;
  if (seconds <= OVERLAP_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError(`Expected seconds, at most ${OVERLAP_SECONDS_MAX}.`);
};

/** @throws InvalidArgumentError */
export const keyNameOf = (text: string): string => {
  if (text.length >= 1 && text.length <= APP_NAME_LENGTH_MAX) return text;
  throw new InvalidArgumentError(`Expected 1 to ${APP_NAME_LENGTH_MAX} characters.`);
};
