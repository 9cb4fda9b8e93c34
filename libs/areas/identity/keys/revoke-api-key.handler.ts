import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { ApiKeyList } from './api-key-list.js';
import { KeyRing } from './key-ring.js';

/** Revokes a key in every process. */
export class RevokeApiKeyCommand extends Command<void> {
  constructor(
    readonly data: { readonly userId: UserId; readonly keyId: string },
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
