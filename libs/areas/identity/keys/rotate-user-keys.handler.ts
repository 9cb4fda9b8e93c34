import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { ApiKeyList } from './api-key-list.js';
import { INFERENCE_ONLY } from './key-policy.js';
import { KeyRing } from './key-ring.js';
import { UserDirectory } from '../users/user-directory.js';

const NAMES: Readonly<Record<KeyKind, string>> = { user: 'default', renter: 'renter' };

export interface RotatedUserKeys {
  readonly userId: UserId;
  /** Shown once. */
  readonly secret: string;
  readonly keysRevoked: number;
}

/**
 * For an operator whose user lost a key: issues one key and revokes every other key of that kind,
 * except the keys of sessions, which end with their session.
 */
export class RotateUserKeysCommand extends Command<RotatedUserKeys> {
  constructor(
    readonly data: {
      readonly username: string;
      readonly keyKind: KeyKind;
      /** Default: the policy of the newest of the old keys, and without one inference only. */
      readonly scopes?: readonly Scope[];
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RotateUserKeysCommand)
export class RotateUserKeysHandler implements ICommandHandler<RotateUserKeysCommand> {
  constructor(
    private readonly directory: UserDirectory,
    private readonly list: ApiKeyList,
    private readonly keys: KeyRing,
  ) {}

  async execute({ data, context }: RotateUserKeysCommand): Promise<RotatedUserKeys> {
    const { keyKind } = data;
    const userId = await this.directory.idOf(data.username);
    const { keys } = await this.list.activeOf(userId);
    const old = keys.filter((key) => key.keyKind === keyKind && key.sessionId === null);
    const replaces = old[0]?.keyHash ?? null;
    const known = old[0]?.policy ?? { scopes: [...INFERENCE_ONLY] };
    const policy = data.scopes ? { ...known, scopes: [...data.scopes] } : known;
    const key = { userId, keyKind, name: NAMES[keyKind], sessionId: null, expiresAt: null };
    const { secret } = await this.keys.issue({ ...key, policy, replaces }, context);
    for (const { keyHash } of old) {
      await this.keys.revoke({ keyHash, userId, reason: 'revoked' }, context);
    }
    return { userId, secret, keysRevoked: old.length };
  }
}
