import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type OnPackage } from './package-content.saga.js';
import { StoredPackages } from './stored-packages.js';

/** A command of `package-content.saga.ts`. Each may come twice. */
abstract class OnPackageCommand extends Command<void> {
  constructor(
    readonly data: OnPackage,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class SettlePackageContentCommand extends OnPackageCommand {}
export class ExpirePackageCommand extends OnPackageCommand {}

@CommandHandler(SettlePackageContentCommand)
export class SettlePackageContentHandler implements ICommandHandler<SettlePackageContentCommand> {
  constructor(private readonly packages: StoredPackages) {}

  execute({ data }: SettlePackageContentCommand): Promise<void> {
    return this.packages.settleContent(data);
  }
}

@CommandHandler(ExpirePackageCommand)
export class ExpirePackageHandler implements ICommandHandler<ExpirePackageCommand> {
  constructor(private readonly packages: StoredPackages) {}

  execute({ data, context }: ExpirePackageCommand): Promise<void> {
    return this.packages.expire(data, context);
  }
}
