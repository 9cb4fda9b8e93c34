import { Command, CommandBus, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { ListSessionsQuery } from './list-sessions.handler.js';
import { RevokeSessionCommand } from './revoke-session.handler.js';

/**
 * Ends every open session of a user, with its token and its key.
 * @returns how many there were
 * @throws DomainError `user_not_found`
 */
export class EndSessionsCommand extends Command<number> {
  constructor(
    readonly userId: UserId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndSessionsCommand)
export class EndSessionsHandler implements ICommandHandler<EndSessionsCommand> {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  async execute({ userId, context }: EndSessionsCommand): Promise<number> {
    const { sessions } = await this.queries.execute(new ListSessionsQuery(userId));
    for (const { sessionId } of sessions) {
      await this.commands.execute(new RevokeSessionCommand({ sessionId, userId }, context));
    }
    return sessions.length;
  }
}
