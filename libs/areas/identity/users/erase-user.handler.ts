import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { ApiKeyList } from '../keys/api-key-list.js';
import { Authenticator } from '../authentication/authenticator.js';
import { IdentityStreams, nameStream, userStream } from '../identity.streams.js';
import { KeyRing } from '../keys/key-ring.js';
import { PersonalData } from './personal-data.js';
import { UserDirectory } from './user-directory.js';
import { type Name, namesOf } from './user-registration.js';

export interface ErasedUser {
  readonly userId: UserId;
  readonly keysRevoked: number;
}

/**
 * Erases a user: all credentials become invalid, the key of the personal data is destroyed, and the
 * names become free. The charges stay on the account, which then has no user.
 */
export class EraseUserCommand extends Command<ErasedUser> {
  constructor(
    readonly data: { readonly username: string } | { readonly userId: UserId },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * Each step is idempotent and the user name is released last, so an interrupted erasure can be run
 * again.
 */
@CommandHandler(EraseUserCommand)
export class EraseUserHandler implements ICommandHandler<EraseUserCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly directory: UserDirectory,
    private readonly personalData: PersonalData,
    private readonly list: ApiKeyList,
    private readonly keys: KeyRing,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data: whom, context }: EraseUserCommand): Promise<ErasedUser> {
    const userId = 'userId' in whom ? whom.userId : await this.directory.idOf(whom.username);
    const data = { userId, reason: 'requested', erasedAt: instant(this.clock) } as const;
    const command = { type: 'EraseUser', data } as const;
    const { state } = await this.streams.users.run(userStream(userId), command, context);
    this.authenticator.invalidate();
    await this.personalData.erase(userId);
    const keysRevoked = await this.#revokeKeys(userId, context);
    if (state.status === 'erased') {
      const names = namesOf(state);
      const [username, others] = [
        names.filter(({ kind }) => kind === 'username'),
        names.filter(({ kind }) => kind !== 'username'),
      ];
      for (const name of [...others, ...username]) await this.#release(name, userId, context);
    }
    return { userId, keysRevoked };
  }

  /** The keys are invalid already; this removes them from the read models. */
  async #revokeKeys(userId: UserId, context: CommandContext): Promise<number> {
    const { keys } = await this.list.activeOf(userId);
    for (const { keyHash } of keys) {
      await this.keys.revoke({ keyHash, userId, reason: 'user_erased' }, context);
    }
    return keys.length;
  }

  async #release({ kind, nameHash }: Name, userId: UserId, context: CommandContext): Promise<void> {
    const stream = nameStream(kind, nameHash);
    const { state } = await this.streams.names.stateOf(stream);
    if (state.status !== 'assigned' || state.userId !== userId) return;
    const { registrationId } = state;
    const data = { kind, nameHash, registrationId, releasedAt: instant(this.clock) };
    await this.streams.names.run(stream, { type: 'ReleaseName', data }, context);
  }
}
