import { type HoldLabels, Tag } from '#events/hold.vocabulary.js';
import { fieldsOf } from '#platform/chats/read-answer.js';
import { type TextHasher } from '#platform/secrets/keyed-hasher.js';

/** The labels that a body has. */
export type BodyLabels = Pick<HoldLabels, 'tags' | 'endUser'>;

/** In `metadata` of a body, the caller's user as Anthropic has it: a person, and no tag. */
const USER_ID = 'user_id';

const NONE: BodyLabels = {};

/**
 * The labels in a body that is not validated: pairs of `metadata` that fit a tag, and the hash of
 * the caller's user. The same user of another account has another hash.
 */
export const bodyLabels = (sent: unknown, accountId: string, hash: TextHasher): BodyLabels => {
  const { metadata, safety_identifier: safety, user } = fieldsOf(sent);
  if (metadata === undefined && safety === undefined && user === undefined) return NONE;
  const pairs = fieldsOf(metadata);
  const tags = Object.entries(pairs).flatMap(([name, value]) =>
    name === USER_ID || typeof value !== 'string' ? [] : tagOf(name, value),
  );
  const named = [safety, user, pairs[USER_ID]].find(isNamed);
  return {
    ...(tags.length > 0 && { tags }),
    ...(named !== undefined && { endUser: endUserOf(named, accountId, hash) }),
  };
};

/** The hash by which the log knows a user of an account. */
const endUserOf = (user: string, accountId: string, hash: TextHasher): string =>
  hash(`end user of account ${accountId}\n${user}`);

const KEYED_HASH = /^[0-9a-f]{64}$/;

/** The hash of a list is taken as it is. */
export const endUserHash = (user: string, accountId: string, hash: TextHasher): string =>
  KEYED_HASH.test(user) ? user : endUserOf(user, accountId, hash);

const isNamed = (value: unknown): value is string => typeof value === 'string' && value !== '';

const tagOf = (name: string, value: string): readonly string[] => {
  const tag = `${name}=${value}`;
  return !name.includes('=') && Tag.safeParse(tag).success ? [tag] : [];
};
