import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { StoredFiles } from './stored-files.js';

/** A command of `file-content.saga.ts`. Each may come twice. */
abstract class OnFile extends Command<void> {
  constructor(
    readonly fileId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class RetainContentCommand extends OnFile {}
export class ReleaseContentCommand extends OnFile {}
export class ExpireFileCommand extends OnFile {}

@CommandHandler(RetainContentCommand)
export class RetainContentHandler implements ICommandHandler<RetainContentCommand> {
  constructor(private readonly files: StoredFiles) {}

  execute({ fileId }: RetainContentCommand): Promise<void> {
    return this.files.retainContent(fileId);
  }
}

@CommandHandler(ReleaseContentCommand)
export class ReleaseContentHandler implements ICommandHandler<ReleaseContentCommand> {
  constructor(private readonly files: StoredFiles) {}

  execute({ fileId }: ReleaseContentCommand): Promise<void> {
    return this.files.releaseContent(fileId);
  }
}

@CommandHandler(ExpireFileCommand)
export class ExpireFileHandler implements ICommandHandler<ExpireFileCommand> {
  constructor(private readonly files: StoredFiles) {}

  execute({ fileId, context }: ExpireFileCommand): Promise<void> {
    return this.files.expire(fileId, context);
  }
}
