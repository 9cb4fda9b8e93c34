import { Inject, Injectable } from '@nestjs/common';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Authenticator } from '../authentication/authenticator.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { PersonalData } from '../users/personal-data.js';
import { type UserCommand } from '../users/user.decider.js';
import { Passwords } from './passwords.js';

/** Gives a user another password, which ends the sessions and challenges of the user. */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly passwords: Passwords,
    private readonly personalData: PersonalData,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param resetHash of the token of a reset that allows the change
   * @throws DomainError `user_not_found`, `invalid_reset`
   */
  async change(
    userId: UserId,
    password: string,
    context: CommandContext,
    resetHash?: string,
  ): Promise<void> {
    const passwordHash = await this.passwords.hash(password);
    const sealedPasswordHash = await this.personalData.seal(userId, 'password-hash', passwordHash);
    const data = { userId, sealedPasswordHash, changedAt: instant(this.clock) };
    const command: UserCommand =
      resetHash === undefined
        ? { type: 'ChangePassword', data }
        : { type: 'ResetPassword', data: { ...data, secretHash: resetHash } };
    await this.streams.users.run(userStream(userId), command, context);
    this.authenticator.invalidate();
  }
}
