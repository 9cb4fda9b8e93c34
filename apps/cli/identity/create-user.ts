import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { isRefusal, usage } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';

export interface CreateUserOptions extends CommonOptions {
  readonly username: string;
  readonly email: string;
  readonly role: string;
  readonly password?: string;
}

/** What the area refuses of a new user is an option of this command, and its detail names it. */
const OPTION_REFUSALS = ['invalid_username', 'invalid_email', 'invalid_role', 'invalid_password'];

export const createUser = async (
  { username, email, role, password }: CreateUserOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const data = { username, email, role, password: password ?? null };
  const needs = {
    areas: ['identity', 'billing'],
    installation: 'may-begin',
    projections: [],
  } as const;
  const created = await withQuipu(invocation, needs, async ({ commands, context }) => {
    try {
      return await commands.execute(new CreateUserCommand(data, context()));
    } catch (error) {
      if (!isRefusal(error) || !OPTION_REFUSALS.includes(error.code)) throw error;
      throw usage(`--${error.detail}`);
    }
  });
  const { userId, accountId, apiKey, renterKey, generatedPassword } = created;
  return {
    json: {
      user_id: userId,
      account_id: accountId,
      username: created.username,
      role: created.role,
      api_key: apiKey,
      renter_key: renterKey,
      ...(generatedPassword !== null && { password: generatedPassword }),
    },
    text: [
      `User ${created.username} (${created.role}) was created. The secrets are shown this once.`,
      `  user id     ${userId}`,
      `  account id  ${accountId}`,
      `  API key     ${apiKey}`,
      `  renter key  ${renterKey}`,
      ...(generatedPassword === null ? [] : [`  password    ${generatedPassword}`]),
    ].join('\n'),
  };
};
