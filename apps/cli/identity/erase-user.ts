import { EraseUserCommand } from '#areas/identity/users/erase-user.handler.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { confirm } from '../confirmation.js';
import { type Invocation, type IrreversibleOptions, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { ofUser } from '../user-option.js';

export interface EraseUserOptions extends IrreversibleOptions {
  readonly username: string;
}

export const eraseUser = async (
  options: EraseUserOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { username } = options;
  const consequence = `This destroys the personal data of ${username} and cannot be undone.`;
  const otherwise = 'nothing was erased';
  await confirm({ word: username, consequence, otherwise }, options, invocation);
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
