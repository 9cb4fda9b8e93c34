import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type KeyOwner } from '#projections/identity/api-keys.projection.js';
import { ApiKeyList } from './api-key-list.js';
import { KeyRing } from './key-ring.js';

/** Revokes a key in every process. */
export class RevokeApiKeyCommand extends Command<void> {
  constructor(
    readonly data: { readonly owner: KeyOwner; readonly keyId: string },
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

  async execute({ data: { owner, keyId }, context }: RevokeApiKeyCommand): Promise<void> {
    const { keyHash, userId: id } = await this.list.find(owner, keyId);
    const userId = UserId.parse(id);
    await this.keys.revoke({ keyHash, userId, reason: 'revoked' }, context);
  }
}
