import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { fingerprint, mintSecret } from '../authentication/credentials.js';
import { challengeStream, IdentityStreams } from '../identity.streams.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { PersonalData } from '../users/personal-data.js';
import { SecondFactorCheck } from '../two-factor/second-factor-check.js';
import { type AppClient, type OpenedSession, SessionOpener } from './session-opener.js';
import { type RegisteredUser } from '../users/user.decider.js';

/** Section 8 of the interface. */
export const CHALLENGE_SECONDS = 300;

export type LogInOutcome =
  | { readonly kind: 'session'; readonly session: OpenedSession }
  /** The password is correct; `tempToken` (`svc_2fa_…`) and a code complete the log-in. */
  | { readonly kind: 'challenge'; readonly tempToken: string };

/** Exchanges a username, a password and, with two-factor authentication, a code for a session. */
export class LogInCommand extends Command<LogInOutcome> {
  constructor(
    readonly data: AppClient & {
      readonly username: string;
      readonly password: string;
      /** From the authenticator app, or a recovery code; null: not given. */
      readonly otpCode: string | null;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(LogInCommand)
export class LogInHandler implements ICommandHandler<LogInCommand> {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly secondFactors: SecondFactorCheck,
    private readonly sessions: SessionOpener,
    private readonly streams: IdentityStreams,
    private readonly personalData: PersonalData,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: LogInCommand): Promise<LogInOutcome> {
    const user = await this.passwords.byName(data.username, data.password);
    if (user.twoFactor.status !== 'on') {
      const none = { kind: 'none', wrongCodes: null } as const;
      return { kind: 'session', session: await this.sessions.open(user, data, none, context) };
    }
    if (data.otpCode === null) return this.#challenge(user, data, context);
    const factor = await this.secondFactors.present(user, data.otpCode, context);
    return { kind: 'session', session: await this.sessions.open(user, data, factor, context) };
  }

  async #challenge(
    { userId }: RegisteredUser,
    { appName, deviceInfo, scopes }: AppClient,
    context: CommandContext,
  ): Promise<LogInOutcome> {
    const tempToken = mintSecret('challenge');
    const challengeHash = fingerprint(tempToken);
    const data = {
      challengeHash,
      userId,
      sealedAppName: await this.personalData.sealIfAny(userId, 'app-name', appName),
      sealedDeviceInfo: await this.personalData.sealIfAny(userId, 'device-info', deviceInfo),
      scopes: [...scopes],
      issuedAt: instant(this.clock),
      expiresAt: new Date(this.clock.now() + CHALLENGE_SECONDS * 1_000).toISOString(),
    };
    const stream = challengeStream(challengeHash);
    await this.streams.challenges.run(stream, { type: 'IssueChallenge', data }, context);
    return { kind: 'challenge', tempToken };
  }
}
