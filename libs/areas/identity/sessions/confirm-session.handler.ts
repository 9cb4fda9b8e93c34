import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type SessionConfirmed } from '#events/identity/session.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Authenticator } from '../authentication/authenticator.js';
import { IdentityStreams, sessionStream } from '../identity.streams.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { SecondFactorCheck } from '../two-factor/second-factor-check.js';

/** Whether the session is confirmed, or needs the code of the second factor, too. */
export type ConfirmOutcome = 'confirmed' | 'code-needed';

/** Proves again who uses a session, for the writes that need it. */
export class ConfirmSessionCommand extends Command<ConfirmOutcome> {
  constructor(
    readonly data: {
      readonly sessionId: string;
      readonly userId: UserId;
      readonly password: string;
      /** From the authenticator app, or a recovery code; null: not given. */
      readonly otpCode: string | null;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ConfirmSessionCommand)
export class ConfirmSessionHandler implements ICommandHandler<ConfirmSessionCommand> {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly secondFactors: SecondFactorCheck,
    private readonly streams: IdentityStreams,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: ConfirmSessionCommand): Promise<ConfirmOutcome> {
    const { sessionId, userId, password, otpCode } = data;
    const user = await this.passwords.byId(userId, password);
    let secondFactor: SessionConfirmed['data']['secondFactor'] = 'none';
    if (user.twoFactor.status === 'on') {
      if (otpCode === null) return 'code-needed';
      ({ kind: secondFactor } = await this.secondFactors.present(user, otpCode, context));
    }
    const confirmed = { sessionId, userId, secondFactor, confirmedAt: instant(this.clock) };
    const command = { type: 'ConfirmSession', data: confirmed } as const;
    await this.streams.sessions.run(sessionStream(sessionId), command, context);
    this.authenticator.invalidate();
    return 'confirmed';
  }
}
