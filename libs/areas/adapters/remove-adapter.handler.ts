import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AdapterFiles } from './adapter-files.js';
import { StoredAdapters, type UploadedAdapter } from './stored-adapters.js';

/** Removes an uploaded adapter, by its id or its slug. */
export class RemoveAdapterCommand extends Command<UploadedAdapter> {
  constructor(
    readonly accountId: string,
    readonly asked: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RemoveAdapterCommand)
export class RemoveAdapterHandler implements ICommandHandler<RemoveAdapterCommand> {
  constructor(
    private readonly stored: StoredAdapters,
    private readonly files: AdapterFiles,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId, asked, context }: RemoveAdapterCommand): Promise<UploadedAdapter> {
    const removed = await this.stored.remove(accountId, asked, instant(this.clock), context);
    await this.files.remove(removed);
    return removed;
  }
}
