import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { keyIdOf } from '../authentication/credentials.js';
import { ApiKeyList } from './api-key-list.js';
import { KeyBudgets } from './key-budgets.port.js';
import { KeyRing, type KeyToIssue } from './key-ring.js';
import { type ApiKeyView, keptFor } from './list-api-keys.handler.js';
import { reject } from '../identity.errors.js';

/** Active keys per user, without the keys of sessions. */
export const API_KEYS_MAX = 100;

export interface NewApiKey extends ApiKeyView {
  /** Shown once. */
  readonly secret: string;
}

/**
 * Gives a user one more key: one for each request, however often it is attempted. A key with a
 * budget issues none: the new one would have no limit.
 */
export class IssueApiKeyCommand extends Command<NewApiKey> {
  constructor(
    readonly data: Pick<KeyToIssue, 'userId' | 'keyKind' | 'name' | 'cacheSeconds'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(IssueApiKeyCommand)
export class IssueApiKeyHandler implements ICommandHandler<IssueApiKeyCommand> {
  constructor(
    private readonly list: ApiKeyList,
    private readonly keys: KeyRing,
    private readonly budgets: KeyBudgets,
  ) {}

  async execute({ data, context }: IssueApiKeyCommand): Promise<NewApiKey> {
    const { keyKind: kind, name, cacheSeconds } = data;
    await demandUnlimited(this.budgets, data.userId, context.key);
    const repeated = await this.keys.issuedFor(context);
    if (!repeated) await this.#rejectTooMany(data.userId);
    const key = { ...data, sessionId: null, expiresAt: null, replaces: null };
    const { secret, keyHash, issuedAt } = repeated ?? (await this.keys.issueOnce(key, context));
    const view = { id: keyIdOf(keyHash), kind, name, issuedAt, secret, ...keptFor(cacheSeconds) };
    return { ...view, sessionId: null, expiresAt: null };
  }

  async #rejectTooMany(userId: UserId): Promise<void> {
    const { keys } = await this.list.activeOf(userId);
    if (keys.filter(({ sessionId }) => sessionId === null).length < API_KEYS_MAX) return;
    reject('too_many_api_keys', `at most ${API_KEYS_MAX} keys: revoke one first`);
  }
}

/** @param line under which the key that asks counts */
export const demandUnlimited = async (
  budgets: KeyBudgets,
  userId: UserId,
  line: string | undefined,
): Promise<void> => {
  if (line === undefined || !(await budgets.limits(userId, line))) return;
  reject('api_key_limited', 'a key with a budget issues no other key; sign in, or use another key');
};
