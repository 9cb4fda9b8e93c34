import { RotateApiKeyCommand } from '#areas/identity/keys/rotate-api-key.handler.js';
import { RotateUserKeysCommand } from '#areas/identity/keys/rotate-user-keys.handler.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { usage } from '../command-failure.js';
import { confirm } from '../confirmation.js';
import { type Invocation, type IrreversibleOptions, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { ofUser, userIdOf } from '../user-option.js';
import { KEY_KINDS, type KeyWord } from './key-words.js';

export interface RotateKeyOptions extends IrreversibleOptions {
  readonly user: string;
  readonly kind: KeyWord;
  /** Absent: every key of the kind. */
  readonly key?: string;
  /** With a key: the team that it acts for. */
  readonly team?: string;
  readonly overlap: number;
}

const NEEDS = {
  areas: ['identity', 'billing'],
  installation: 'exists',
  projections: [apiKeys],
} as const;

export const rotateKey = async (
  options: RotateKeyOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  if (options.key !== undefined) return rotateOne(options, options.key, invocation);
  if (options.team !== undefined) throw usage('--team needs --key: each key is replaced alone');
  return rotateAll(options, invocation);
};

const rotateOne = (
  { user, team, overlap: overlapSeconds }: RotateKeyOptions,
  keyId: string,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async (quipu) => {
    const userId = await userIdOf(quipu, user);
    const ofTeam = team === undefined ? {} : { teamId: team };
    const data = { userId, ...ofTeam, keyId, issuer: 'operator', overlapSeconds } as const;
    const { id, secret } = await quipu.commands.execute(
      new RotateApiKeyCommand(data, quipu.context()),
    );
    const until = overlapSeconds === 0 ? 'invalid' : `valid for ${overlapSeconds} s`;
    return {
      json: { user_id: userId, key_id: id, api_key: secret, overlap_seconds: overlapSeconds },
      text: `Key ${id} replaces ${keyId}, which is ${until}. It is shown only once.\n  ${secret}`,
    };
  });

const rotateAll = async (options: RotateKeyOptions, invocation: Invocation): Promise<Outcome> => {
  const { user: username, kind } = options;
  const consequence = `This revokes every ${kind} key of ${username}, in every process.`;
  const otherwise = 'no key was revoked';
  await confirm({ word: username, consequence, otherwise }, options, invocation);
  const rotated = await withQuipu(invocation, NEEDS, ({ commands, context }) => {
    const rotation = new RotateUserKeysCommand({ username, keyKind: KEY_KINDS[kind] }, context());
    return ofUser('--user', username, commands.execute(rotation));
  });
  const { userId, secret, keysRevoked } = rotated;
  return {
    json: { user_id: userId, kind, [`${kind}_key`]: secret, keys_revoked: keysRevoked },
    text: [
      `User ${username} has a new ${kind} key, shown only once; keys revoked: ${keysRevoked}.`,
      `  ${kind} key  ${secret}`,
    ].join('\n'),
  };
};
