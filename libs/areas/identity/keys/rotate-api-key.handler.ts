import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { ApiKeyList, keyIdOf } from './api-key-list.js';
import { type NewApiKey } from './issue-api-key.handler.js';
import { KeyRing } from './key-ring.js';
import { PersonalData } from '../users/personal-data.js';

/** Replaces a key by a new one of the same kind, name and expiry; the old key becomes invalid. */
export class RotateApiKeyCommand extends Command<NewApiKey> {
  constructor(
    readonly data: { readonly userId: UserId; readonly keyId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RotateApiKeyCommand)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKeyCommand> {
  constructor(
    private readonly list: ApiKeyList,
    private readonly keys: KeyRing,
    private readonly personalData: PersonalData,
  ) {}

  async execute({ data: { userId, keyId }, context }: RotateApiKeyCommand): Promise<NewApiKey> {
    const old = await this.list.find(userId, keyId);
    const { keyKind, sessionId, expiresAt, keyHash: replaces } = old;
    const name = (await this.personalData.open(userId, 'api-key-name', old.sealedName)) ?? '';
    const key = { userId, keyKind, name, sessionId, expiresAt, replaces };
    const { secret, keyHash, issuedAt } = await this.keys.replace(key, context);
    return { id: keyIdOf(keyHash), kind: keyKind, name, sessionId, issuedAt, expiresAt, secret };
  }
}
