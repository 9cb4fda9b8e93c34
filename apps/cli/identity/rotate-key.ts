import { RotateUserKeysCommand } from '#areas/identity/keys/rotate-user-keys.handler.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { confirm } from '../confirmation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { ofUser } from '../user-option.js';

export interface RotateKeyOptions extends CommonOptions {
  readonly user: string;
  readonly kind: 'api' | 'renter';
  readonly yes?: boolean;
}

const KEY_KIND = { api: 'user', renter: 'renter' } as const;

export const rotateKey = async (
  { user: username, kind, yes = false }: RotateKeyOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const consequence = `This revokes every ${kind} key of ${username}, in every process.`;
  const otherwise = 'no key was revoked';
  if (!yes) await confirm({ word: username, consequence, otherwise }, invocation);
  const needs = {
    areas: ['identity', 'billing'],
    installation: 'exists',
    projections: [apiKeys],
  } as const;
  const rotated = await withQuipu(invocation, needs, ({ commands, context }) => {
    const rotation = new RotateUserKeysCommand({ username, keyKind: KEY_KIND[kind] }, context());
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
