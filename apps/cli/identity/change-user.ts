import { MailPasswordResetCommand } from '#areas/identity/passwords/mail-reset.handler.js';
import { OfferPasswordResetCommand } from '#areas/identity/passwords/offer-reset.handler.js';
import { ResetPasswordCommand } from '#areas/identity/passwords/reset-password.handler.js';
import { ChangeUserCommand, type UserChange } from '#areas/identity/users/change-user.handler.js';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { userIdOf } from '../user-option.js';

export interface ChangeUserOptions extends CommonOptions {
  readonly user: string;
}

export interface OfferResetOptions extends ChangeUserOptions {
  readonly sendMail?: boolean;
}

export interface ChangeRoleOptions extends ChangeUserOptions {
  readonly role: Role;
}

const NEEDS = {
  areas: ['identity', 'billing'],
  installation: 'exists',
  projections: [],
} as const;

const SENTENCES: Readonly<Record<UserChange['kind'], (user: string) => string>> = {
  disable: (user) => `User ${user} is disabled: no credential of the user is valid.`,
  enable: (user) =>
    `User ${user} is enabled: keys and sessions that have not ended are valid again.`,
  role: (user) => `User ${user} has the role.`,
  reset_two_factor: (user) => `User ${user} has no second factor.`,
};

const change = async (
  { user }: ChangeUserOptions,
  one: UserChange,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    const userId = await userIdOf({ queries }, user);
    const changed = await commands.execute(new ChangeUserCommand(userId, one, context()));
    const sentence = SENTENCES[one.kind](user);
    return {
      json: { user_id: userId, changed },
      text: changed ? sentence : `${sentence} It was so before.`,
    };
  });

export const disableUser = (options: ChangeUserOptions, invocation: Invocation): Promise<Outcome> =>
  change(options, { kind: 'disable' }, invocation);

export const enableUser = (options: ChangeUserOptions, invocation: Invocation): Promise<Outcome> =>
  change(options, { kind: 'enable' }, invocation);

export const changeRole = (options: ChangeRoleOptions, invocation: Invocation): Promise<Outcome> =>
  change(options, { kind: 'role', role: options.role }, invocation);

export const resetSecondFactor = (
  options: ChangeUserOptions,
  invocation: Invocation,
): Promise<Outcome> => change(options, { kind: 'reset_two_factor' }, invocation);

export const offerReset = (
  { user, sendMail = false }: OfferResetOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    const userId = await userIdOf({ queries }, user);
    if (sendMail) {
      const mail = new MailPasswordResetCommand(userId, context());
      const { expiresAt: endsAt } = await commands.execute(mail);
      return {
        json: { user_id: userId, token: null, expires_at: endsAt },
        text: `A token that sets a password once, until ${endsAt}, was mailed to ${user}.`,
      };
    }
    const { token, expiresAt } = await commands.execute(
      new OfferPasswordResetCommand(userId, context()),
    );
    return {
      json: { user_id: userId, token, expires_at: expiresAt },
      text:
        `Hand this token over to ${user}, who sets a password with it once, until ${expiresAt}:\n` +
        `  ${token}\n` +
        'POST /api/v1/auth/password_reset takes it with new_password.',
    };
  });

export const resetPassword = async (
  { user }: ChangeUserOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    const userId = await userIdOf({ queries }, user);
    const password = await commands.execute(new ResetPasswordCommand(userId, context()));
    return {
      json: { user_id: userId, password },
      text:
        `User ${user} has a new password, shown only once. The sessions of the user have ended.\n` +
        `  password  ${password}`,
    };
  });
