import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { ApiKeyList } from './api-key-list.js';
import { KeyRing } from './key-ring.js';

/** Ends a key in every process at once. */
export class RevokeApiKeyCommand extends Command<void> {
  constructor(
    readonly data: { readonly userId: number; readonly keyId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKeyCommand)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKeyCommand> {
  constructor(
    private readonly list: ApiKeyList,
    private readonly keys: KeyRing,
  ) {}

  async execute({ data: { userId, keyId }, context }: RevokeApiKeyCommand): Promise<void> {
    const { keyHash } = await this.list.find(userId, keyId);
    await this.keys.revoke({ keyHash, userId, reason: 'revoked' }, context);
  }
}
