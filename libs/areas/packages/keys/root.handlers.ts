import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { PackageKeys, type RootChange } from './package-keys.js';
import { type SignedRoot } from './root-metadata.js';

/** The published roots, from the first version on. */
export class RootsQuery extends Query<readonly SignedRoot[]> {}

@QueryHandler(RootsQuery)
export class RootsHandler implements IQueryHandler<RootsQuery> {
  constructor(private readonly keys: PackageKeys) {}

  execute(): Promise<readonly SignedRoot[]> {
    return this.keys.published();
  }
}

/** The next root, with the signature of the installation: others may have to sign it. */
export class ProposeRootQuery extends Query<SignedRoot> {
  constructor(readonly change: RootChange) {
    super();
  }
}

@QueryHandler(ProposeRootQuery)
export class ProposeRootHandler implements IQueryHandler<ProposeRootQuery> {
  constructor(private readonly keys: PackageKeys) {}

  async execute({ change }: ProposeRootQuery): Promise<SignedRoot> {
    return this.keys.signed(await this.keys.next(change));
  }
}

export class PublishRootCommand extends Command<SignedRoot> {
  constructor(
    readonly root: SignedRoot,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(PublishRootCommand)
export class PublishRootHandler implements ICommandHandler<PublishRootCommand> {
  constructor(private readonly keys: PackageKeys) {}

  /** @throws DomainError `package_root_invalid` */
  async execute({ root, context }: PublishRootCommand): Promise<SignedRoot> {
    await this.keys.publish(root, context);
    return root;
  }
}
