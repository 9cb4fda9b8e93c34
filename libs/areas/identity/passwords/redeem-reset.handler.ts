import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { fingerprint } from '../authentication/credentials.js';
import { reject } from '../identity.errors.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { checkPassword } from '../users/user-details.js';
import { demandOpenReset } from '../users/user.decider.js';
import { PasswordChanges } from './password-changes.js';
import { userOfResetToken } from './reset-token.js';

/**
 * A user sets another password with the token of a reset, which ends the sessions of the user.
 * @throws DomainError `invalid_reset`, `invalid_password`
 */
export class RedeemPasswordResetCommand extends Command<void> {
  constructor(
    readonly data: { readonly token: string; readonly password: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RedeemPasswordResetCommand)
export class RedeemPasswordResetHandler implements ICommandHandler<RedeemPasswordResetCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly changes: PasswordChanges,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: RedeemPasswordResetCommand): Promise<void> {
    const { token, password } = data;
    checkPassword(password);
    const userId = userOfResetToken(token);
    if (userId === null) return invalid();
    // An unknown token costs no hash of a password.
    const { state } = await this.streams.users.stateOf(userStream(userId));
    if (state.status !== 'registered') return invalid();
    const secretHash = fingerprint(token);
    demandOpenReset(state, { secretHash, changedAt: instant(this.clock) });
    await this.changes.change(userId, password, context, secretHash);
  }
}

const invalid = (): never =>
  reject('invalid_reset', 'the token was used, has expired or is unknown: ask for another one');
