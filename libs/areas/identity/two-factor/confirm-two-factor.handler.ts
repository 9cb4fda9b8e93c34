import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AccountViews } from '../accounts/account-views.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { SecondFactors } from './second-factors.js';

/** Turns two-factor authentication on and returns the recovery codes, which are shown once. */
export class ConfirmTwoFactorCommand extends Command<readonly string[]> {
  constructor(
    readonly data: { readonly userId: UserId; readonly otpCode: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ConfirmTwoFactorCommand)
export class ConfirmTwoFactorHandler implements ICommandHandler<ConfirmTwoFactorCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly views: AccountViews,
    private readonly secondFactors: SecondFactors,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: ConfirmTwoFactorCommand): Promise<readonly string[]> {
    const { userId, twoFactor } = await this.views.userOf(data.userId);
    const proof = await this.secondFactors.proofOf(userId, twoFactor, data.otpCode);
    const { codes, hashes: recoveryCodeHashes } = this.secondFactors.newRecoveryCodes(userId);
    const confirmation = { userId, proof, recoveryCodeHashes, enabledAt: instant(this.clock) };
    const command = { type: 'ConfirmTwoFactor', data: confirmation } as const;
    await this.streams.users.run(userStream(userId), command, context);
    return codes;
  }
}
