import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { EraseUserCommand } from '#areas/identity/users/erase-user.handler.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { CommandFailure, interrupted, usage } from '../command-failure.js';
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
  if (!yes) await confirm(username, invocation);
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

/** @throws CommandFailure unless the user types the name again */
const confirm = async (username: string, { stdin, stderr, signal }: Invocation): Promise<void> => {
  if (!stdin.isTTY || stderr.isTTY !== true) {
    throw usage('--yes is required without a terminal');
  }
  const terminal = createInterface({ input: stdin, output: stderr });
  // Ctrl-C and Ctrl-D close the terminal without an answer and do not reach the process.
  const closed = once(terminal, 'close').then(() => Promise.reject(interrupted()));
  try {
    const question = `This cannot be undone. Type ${username} to erase this user: `;
    const answer = await Promise.race([terminal.question(question, { signal }), closed]);
    if (answer.trim() !== username) {
      throw new CommandFailure('not_confirmed', 'not confirmed: nothing was erased');
    }
  } catch (error) {
    throw signal.aborted || isAbort(error) ? interrupted() : error;
  } finally {
    closed.catch(() => undefined);
    terminal.close();
  }
};

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
