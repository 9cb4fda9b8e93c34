import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { StoredAdapters } from './stored-adapters.js';

/** The command of `adapter-content.saga.ts`. It may come twice. */
export class SettleAdapterContentCommand extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly adapterId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SettleAdapterContentCommand)
export class SettleAdapterContentHandler implements ICommandHandler<SettleAdapterContentCommand> {
  constructor(private readonly adapters: StoredAdapters) {}

  execute({ accountId, adapterId }: SettleAdapterContentCommand): Promise<void> {
    return this.adapters.settleContent(accountId, adapterId);
  }
}
