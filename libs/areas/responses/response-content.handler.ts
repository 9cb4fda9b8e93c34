import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { ResponseStore } from './response-store.js';

/** The commands of `response-content.saga.ts`. Each may come twice. */
abstract class OnResponse extends Command<void> {
  constructor(
    readonly responseId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class RetainResponseCommand extends OnResponse {}
export class ReleaseResponseCommand extends OnResponse {}
export class ExpireResponseCommand extends OnResponse {}

@CommandHandler(RetainResponseCommand)
export class RetainResponseHandler implements ICommandHandler<RetainResponseCommand> {
  constructor(private readonly responses: ResponseStore) {}

  execute({ responseId }: RetainResponseCommand): Promise<void> {
    return this.responses.retainContent(responseId);
  }
}

@CommandHandler(ReleaseResponseCommand)
export class ReleaseResponseHandler implements ICommandHandler<ReleaseResponseCommand> {
  constructor(private readonly responses: ResponseStore) {}

  execute({ responseId }: ReleaseResponseCommand): Promise<void> {
    return this.responses.releaseContent(responseId);
  }
}

@CommandHandler(ExpireResponseCommand)
export class ExpireResponseHandler implements ICommandHandler<ExpireResponseCommand> {
  constructor(private readonly responses: ResponseStore) {}

  execute({ responseId, context }: ExpireResponseCommand): Promise<void> {
    return this.responses.expire(responseId, context);
  }
}
