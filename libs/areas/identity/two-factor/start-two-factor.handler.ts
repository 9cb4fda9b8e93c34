import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { PersonalData } from '../users/personal-data.js';
import { SecondFactors } from './second-factors.js';

export interface StartedEnrolment {
  /** Base32; shown once. */
  readonly secret: string;
  /** The secret as an `otpauth://…` URI, for an authenticator app. */
  readonly keyUri: string;
}

/** Issues a secret; a code made with it confirms the enrolment. A repeat issues another secret. */
export class StartTwoFactorCommand extends Command<StartedEnrolment> {
  constructor(
    /** The password is required: a stolen session must not lock its owner out. */
    readonly data: { readonly userId: UserId; readonly password: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(StartTwoFactorCommand)
export class StartTwoFactorHandler implements ICommandHandler<StartTwoFactorCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly passwords: PasswordCheck,
    private readonly secondFactors: SecondFactors,
    private readonly personalData: PersonalData,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: StartTwoFactorCommand): Promise<StartedEnrolment> {
    const { userId, sealedUsername } = await this.passwords.byId(data.userId, data.password);
    const secret = this.secondFactors.newSecret();
    const enrolment = {
      userId,
      enrolmentId: randomUUID(),
      sealedSecret: await this.personalData.seal(userId, 'two-factor-secret', secret),
      startedAt: instant(this.clock),
    };
    const command = { type: 'StartTwoFactorEnrolment', data: enrolment } as const;
    await this.streams.users.run(userStream(userId), command, context);
    const username = (await this.personalData.open(userId, 'username', sealedUsername)) ?? '';
    return { secret, keyUri: this.secondFactors.keyUri(secret, username) };
  }
}
