import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AccountViews } from '../accounts/account-views.js';
import { SecondFactorCheck } from './second-factor-check.js';
import { SecondFactors } from './second-factors.js';

/** Replaces the recovery codes. The new ones are shown once; the old ones become invalid. */
export class ReplaceRecoveryCodesCommand extends Command<readonly string[]> {
  constructor(
    readonly data: { readonly userId: UserId; readonly otpCode: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReplaceRecoveryCodesCommand)
export class ReplaceRecoveryCodesHandler implements ICommandHandler<ReplaceRecoveryCodesCommand> {
  constructor(
    private readonly check: SecondFactorCheck,
    private readonly views: AccountViews,
    private readonly secondFactors: SecondFactors,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: ReplaceRecoveryCodesCommand): Promise<readonly string[]> {
    const { userId, twoFactor } = await this.views.userOf(data.userId);
    const proof = await this.secondFactors.proofOf(userId, twoFactor, data.otpCode);
    const { codes, hashes: recoveryCodeHashes } = this.secondFactors.newRecoveryCodes(userId);
    const command = {
      type: 'ReplaceRecoveryCodes',
      data: { userId, proof, recoveryCodeHashes, at: instant(this.clock) },
    } as const;
    await this.check.run(command, context);
    return codes;
  }
}
