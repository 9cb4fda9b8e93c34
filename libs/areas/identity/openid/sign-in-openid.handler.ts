import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type LogInOutcome } from '../sessions/log-in.handler.js';
import { SessionOpener } from '../sessions/session-opener.js';
import { Challenges } from '../two-factor/challenges.js';
import { BrowserSignIns } from './browser-sign-ins.js';
import { ProviderUsers } from './provider-users.js';

export type OpenIdOutcome = LogInOutcome & {
  /** Whether the console began the sign-in. */
  readonly isForConsole: boolean;
};

/** Exchanges the callback of the OpenID provider for a session, as a log-in with a password. */
export class SignInOpenIdCommand extends Command<OpenIdOutcome> {
  constructor(
    readonly data: {
      /** Of the callback, without its question mark. */
      readonly query: string;
      /** As the sign-in began; null: the browser sent nothing. */
      readonly sealed: string | null;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SignInOpenIdCommand)
export class SignInOpenIdHandler implements ICommandHandler<SignInOpenIdCommand> {
  constructor(
    private readonly signIns: BrowserSignIns,
    private readonly users: ProviderUsers,
    private readonly sessions: SessionOpener,
    private readonly challenges: Challenges,
  ) {}

  async execute({ data, context }: SignInOpenIdCommand): Promise<OpenIdOutcome> {
    const { identity, client } = await this.signIns.end(data.query, data.sealed);
    const user = await this.users.signIn(identity, context);
    const { isMultiFactor } = identity;
    const isForConsole = client.scopes === 'console';
    if (user.twoFactor.status === 'on' && !isMultiFactor) {
      const tempToken = await this.challenges.issue(user, client, context);
      return { kind: 'challenge', tempToken, isForConsole };
    }
    const factor = { kind: isMultiFactor ? 'provider' : 'none', wrongCodes: null } as const;
    const session = await this.sessions.open(user, client, factor, context);
    return { kind: 'session', session, isForConsole };
  }
}
