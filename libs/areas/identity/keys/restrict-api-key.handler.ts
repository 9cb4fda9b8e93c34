import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { ApiKeyList } from './api-key-list.js';
import { demandRanges, ordered, type PolicyChange } from './key-policy.js';
import { KeyRing } from './key-ring.js';

/**
 * Takes something away from a key; an absent field stays as it is.
 * @throws DomainError `api_key_not_found`, `policy_too_wide`, `invalid_ip_range`
 */
export class RestrictApiKeyCommand extends Command<void> {
  constructor(
    readonly data: {
      readonly userId: UserId;
      readonly keyId: string;
      readonly policy: PolicyChange;
      /** ISO 8601 UTC. */
      readonly endsAt?: string;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RestrictApiKeyCommand)
export class RestrictApiKeyHandler implements ICommandHandler<RestrictApiKeyCommand> {
  constructor(
    private readonly list: ApiKeyList,
    private readonly keys: KeyRing,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: RestrictApiKeyCommand): Promise<void> {
    const { userId, keyId, policy } = data;
    demandRanges(policy.ipRanges);
    const { keyHash } = await this.list.find(userId, keyId);
    const now = instant(this.clock);
    const endsAt = data.endsAt !== undefined && data.endsAt < now ? now : data.endsAt;
    await this.keys.restrict({ keyHash, userId, policy: ordered(policy), endsAt }, context);
  }
}
