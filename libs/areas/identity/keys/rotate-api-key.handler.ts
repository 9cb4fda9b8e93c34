import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type ApiKeyList, keyIdOf } from './api-key-list.js';
import { API_KEY_LIST, KEY_RING, PERSONAL_DATA } from '../identity.tokens.js';
import { type NewApiKey } from './issue-api-key.handler.js';
import { type KeyRing } from './key-ring.js';
import { type PersonalData } from '../users/personal-data.js';

/** Replaces a key by one of the same kind, name and end; the old one counts no more. */
export class RotateApiKeyCommand extends Command<NewApiKey> {
  constructor(
    readonly data: { readonly userId: number; readonly keyId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RotateApiKeyCommand)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKeyCommand> {
  constructor(
    @Inject(API_KEY_LIST) private readonly list: ApiKeyList,
    @Inject(KEY_RING) private readonly keys: KeyRing,
    @Inject(PERSONAL_DATA) private readonly personalData: PersonalData,
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
