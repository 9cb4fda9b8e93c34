import { EraseUserCommand } from '#areas/identity/users/erase-user.handler.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { confirm } from '../confirmation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { ofUser } from '../user-option.js';

export interface EraseUserOptions extends CommonOptions {
  readonly username: string;
  readonly yes?: boolean;
}

export const eraseUser = async (
  { username, yes = false }: EraseUserOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const consequence = `This destroys the personal data of ${username} and cannot be undone.`;
  const otherwise = 'nothing was erased';
  if (!yes) await confirm({ word: username, consequence, otherwise }, invocation);
  const needs = {
    areas: ['identity', 'billing'],
    installation: 'exists',
    projections: [apiKeys],
  } as const;
  const erased = await withQuipu(invocation, needs, ({ commands, context }) => {
    const erasure = new EraseUserCommand({ username }, context());
    return ofUser('--username', username, commands.execute(erasure));
  });
  const { userId, keysRevoked } = erased;
  return {
    json: { user_id: userId, erased: true, keys_revoked: keysRevoked },
    text: `User ${username} (id ${userId}) was erased; keys revoked: ${keysRevoked}.`,
  };
};
