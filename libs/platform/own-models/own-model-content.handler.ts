import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { OwnModels } from './own-models.js';

/** The command of `own-model-content.saga.ts`. It may come twice. */
export class SettleOwnModelContentCommand extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly modelId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SettleOwnModelContentCommand)
export class SettleOwnModelContentHandler implements ICommandHandler<SettleOwnModelContentCommand> {
  constructor(private readonly models: OwnModels) {}

  execute({ accountId, modelId }: SettleOwnModelContentCommand): Promise<void> {
    return this.models.settleContent(accountId, modelId);
  }
}
