import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { Challenges } from '../two-factor/challenges.js';
import { SecondFactorCheck } from '../two-factor/second-factor-check.js';
import { type AppClient, type OpenedSession, SessionOpener } from './session-opener.js';

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
    private readonly challenges: Challenges,
  ) {}

  async execute({ data, context }: LogInCommand): Promise<LogInOutcome> {
    const user = await this.passwords.byName(data.username, data.password);
    if (user.twoFactor.status !== 'on') {
      const none = { kind: 'none', wrongCodes: null } as const;
      return { kind: 'session', session: await this.sessions.open(user, data, none, context) };
    }
    if (data.otpCode === null) {
      return { kind: 'challenge', tempToken: await this.challenges.issue(user, data, context) };
    }
    const factor = await this.secondFactors.present(user, data.otpCode, context);
    return { kind: 'session', session: await this.sessions.open(user, data, factor, context) };
  }
}
