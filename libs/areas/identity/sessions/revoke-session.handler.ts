import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Authenticator } from '../authentication/authenticator.js';
import { IdentityStreams, sessionStream } from '../identity.streams.js';

/** Revokes a session with its token and its key, in every process. */
export class RevokeSessionCommand extends Command<void> {
  constructor(
    readonly data: { readonly sessionId: string; readonly userId: UserId },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RevokeSessionCommand)
export class RevokeSessionHandler implements ICommandHandler<RevokeSessionCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: RevokeSessionCommand): Promise<void> {
    const stream = sessionStream(data.sessionId);
    const command = {
      type: 'RevokeSession',
      data: { ...data, revokedAt: instant(this.clock) },
    } as const;
    await this.streams.sessions.run(stream, command, context);
    this.authenticator.invalidate();
  }
}
