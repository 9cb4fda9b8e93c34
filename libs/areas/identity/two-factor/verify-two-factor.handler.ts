import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AccountViews } from '../accounts/account-views.js';
import { openChallenge, type OpenChallenge } from './challenge.decider.js';
import { fingerprint } from '../authentication/credentials.js';
import { challengeStream, IdentityStreams } from '../identity.streams.js';
import { reject } from '../identity.errors.js';
import { PersonalData } from '../users/personal-data.js';
import { SecondFactorCheck } from './second-factor-check.js';
import { type OpenedSession, SessionOpener } from '../sessions/session-opener.js';

/** Answers a two-factor challenge. Its token works once. */
export class VerifyTwoFactorCommand extends Command<OpenedSession> {
  constructor(
    readonly data: {
      readonly tempToken: string;
      readonly otpCode: string;
      /** Whether the session is of the console, whatever the challenge was issued for. */
      readonly isForConsole?: boolean;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(VerifyTwoFactorCommand)
export class VerifyTwoFactorHandler implements ICommandHandler<VerifyTwoFactorCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly secondFactors: SecondFactorCheck,
    private readonly sessions: SessionOpener,
    private readonly views: AccountViews,
    private readonly personalData: PersonalData,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: VerifyTwoFactorCommand): Promise<OpenedSession> {
    const challengeHash = fingerprint(data.tempToken);
    const stream = challengeStream(challengeHash);
    const { state } = await this.streams.challenges.stateOf(stream);
    const challenge = openChallenge(state, instant(this.clock));
    const user = await this.views.userOf(challenge.userId);
    if (user.passwordChangedAt !== null && challenge.issuedAt < user.passwordChangedAt) {
      reject('invalid_challenge', 'the password has changed since; log in again');
    }
    const factor = await this.#orFail(challengeHash, context, () =>
      this.secondFactors.present(user, data.otpCode, context),
    );
    const answer = { challengeHash, answeredAt: instant(this.clock) };
    const command = { type: 'AnswerChallenge', data: answer } as const;
    await this.streams.challenges.run(stream, command, context);
    const client = await this.#clientOf(challenge);
    const scopes = data.isForConsole === true ? 'console' : client.scopes;
    return this.sessions.open(user, { ...client, scopes }, factor, context);
  }

  /** A wrong code consumes one attempt of the challenge. */
  async #orFail<T>(
    challengeHash: string,
    context: CommandContext,
    present: () => Promise<T>,
  ): Promise<T> {
    try {
      return await present();
    } catch (error) {
      if (error instanceof DomainError && error.code === 'invalid_otp') {
        const data = { challengeHash, failedAt: instant(this.clock) };
        const command = { type: 'FailChallenge', data } as const;
        await this.streams.challenges.run(challengeStream(challengeHash), command, context);
      }
      throw error;
    }
  }

  async #clientOf({ userId, sealedAppName, sealedDeviceInfo, scopes }: OpenChallenge) {
    return {
      scopes,
      appName: await this.personalData.openIfAny(userId, 'app-name', sealedAppName),
      deviceInfo: await this.personalData.openIfAny(userId, 'device-info', sealedDeviceInfo),
    };
  }
}
