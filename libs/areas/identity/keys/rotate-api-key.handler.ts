import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { reject } from '../identity.errors.js';
import { keptFor } from './list-api-keys.handler.js';
import { PersonalData } from '../users/personal-data.js';
import { keyIdOf } from '../authentication/credentials.js';
import { ApiKeyList } from './api-key-list.js';
import { demandUnlimited, type NewApiKey } from './issue-api-key.handler.js';
import { KeyBounds, type KeyIssuer } from './key-bounds.js';
import { KeyBudgets } from './key-budgets.port.js';
import { demandNoLater, demandWithin } from './key-policy.js';
import { KeyRing, type KeyOfRequest } from './key-ring.js';

/**
 * Replaces a key by a new one of the same kind, name, policy and end; the old key becomes invalid,
 * at once or after an overlap. A key replaces itself, or a key that can do nothing that it cannot.
 * A key with a budget replaces itself only: the successor has the same budget.
 */
export class RotateApiKeyCommand extends Command<NewApiKey> {
  constructor(
    readonly data: {
      readonly userId: UserId;
      readonly keyId: string;
      /** The team that the key acts for. Absent: the user's own account. */
      readonly teamId?: string;
      readonly issuer: KeyIssuer;
      /** How long the old key stays valid; 0: not at all. */
      readonly overlapSeconds: number;
    },
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
    private readonly budgets: KeyBudgets,
    private readonly bounds: KeyBounds,
  ) {}

  async execute({ data, context }: RotateApiKeyCommand): Promise<NewApiKey> {
    const { userId, teamId, keyId, issuer, overlapSeconds } = data;
    const repeated = await this.keys.issuedFor(context);
    if (repeated) return this.#finish(repeated, overlapSeconds, context);
    const old = await this.list.find(teamId ?? userId, keyId);
    // The secret of a successor is shown to its member alone.
    if (old.userId !== userId) reject('api_key_not_found', 'there is no such key');
    const { keyKind, sessionId, policy, endsAt: expiresAt, cacheSeconds, keyHash: replaces } = old;
    if ((old.lineage ?? keyId) !== context.key) {
      await demandUnlimited(this.budgets, userId, context.key);
      const bound = await this.bounds.of(issuer, userId);
      demandWithin(policy, bound.policy);
      demandNoLater(expiresAt, bound.endsAt);
    }
    const name = (await this.personalData.open(userId, 'api-key-name', old.sealedName)) ?? '';
    const same = { name, sessionId, policy, expiresAt, ...keptFor(cacheSeconds) };
    const { membership } = old;
    const key = { userId, keyKind, replaces, ...same, ...(membership && { membership }) };
    const { secret, keyHash, issuedAt } = await this.keys.replace(key, overlapSeconds, context);
    return { id: keyIdOf(keyHash), kind: keyKind, issuedAt, secret, ...same };
  }

  /** An earlier attempt has issued the successor; whether it has ended the old key is not known. */
  async #finish(
    { secret, keyHash, replaces, userId, status, policy, ...key }: KeyOfRequest,
    overlapSeconds: number,
    context: CommandContext,
  ): Promise<NewApiKey> {
    // Another rotation was first, and this attempt took its successor back.
    if (status === 'revoked') reject('api_key_not_found', 'there is no such key');
    if (replaces !== null) {
      await this.keys.endReplaced(userId, replaces, overlapSeconds, context);
    }
    const { keyKind: kind, sessionId, issuedAt, expiresAt, cacheSeconds } = key;
    const name = (await this.personalData.open(userId, 'api-key-name', key.sealedName)) ?? '';
    const view = { id: keyIdOf(keyHash), kind, name, policy, secret, ...keptFor(cacheSeconds) };
    return { ...view, sessionId, issuedAt, expiresAt };
  }
}
