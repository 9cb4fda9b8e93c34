import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { isDomainError, usage } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';

export interface CreateUserOptions extends CommonOptions {
  readonly username: string;
  readonly email: string;
  readonly role: string;
  readonly password?: string;
  readonly scopes: readonly Scope[];
}

/** Errors that an option of this command caused. Their detail names the option. */
const OPTION_ERRORS = [
  'invalid_username',
  'invalid_email',
  'invalid_role',
  'invalid_password',
  'scope_not_allowed',
];

export const createUser = async (
  { username, email, role, password, scopes }: CreateUserOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const data = { username, email, role, password: password ?? null, scopes };
  const needs = {
    areas: ['identity', 'billing'],
    installation: 'may-begin',
    projections: [],
  } as const;
  const created = await withQuipu(invocation, needs, async ({ commands, context }) => {
    try {
      return await commands.execute(new CreateUserCommand(data, context()));
    } catch (error) {
      if (!isDomainError(error) || !OPTION_ERRORS.includes(error.code)) throw error;
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
      `User ${created.username} (${created.role}) was created. The secrets are shown only once.`,
      `  user id     ${userId}`,
      `  account id  ${accountId}`,
      `  API key     ${apiKey}`,
      `  renter key  ${renterKey}`,
      ...(generatedPassword === null ? [] : [`  password    ${generatedPassword}`]),
    ].join('\n'),
  };
};
