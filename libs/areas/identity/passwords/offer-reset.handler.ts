import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { fingerprint } from '../authentication/credentials.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { mintResetToken } from './reset-token.js';

/** A day. */
export const RESET_SECONDS = 86_400;

export interface OfferedReset {
  /** `svc_rst_…`; shown once. */
  readonly token: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/**
 * An operator offers a user another password: a token that the operator hands over and that works
 * once. The present password stays valid until then.
 * @throws DomainError `user_not_found`
 */
export class OfferPasswordResetCommand extends Command<OfferedReset> {
  constructor(
    readonly userId: UserId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(OfferPasswordResetCommand)
export class OfferPasswordResetHandler implements ICommandHandler<OfferPasswordResetCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ userId, context }: OfferPasswordResetCommand): Promise<OfferedReset> {
    const token = mintResetToken(userId);
    const expiresAt = new Date(this.clock.now() + RESET_SECONDS * 1_000).toISOString();
    const secretHash = fingerprint(token);
    const data = { userId, secretHash, offeredAt: instant(this.clock), expiresAt };
    const command = { type: 'OfferPasswordReset', data } as const;
    await this.streams.users.run(userStream(userId), command, context);
    return { token, expiresAt };
  }
}
