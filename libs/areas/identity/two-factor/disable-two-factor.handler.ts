import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AccountViews } from '../accounts/account-views.js';
import { SecondFactorCheck } from './second-factor-check.js';
import { SecondFactors } from './second-factors.js';

/** Turns two-factor authentication off; requires a valid code. */
export class DisableTwoFactorCommand extends Command<void> {
  constructor(
    readonly data: { readonly userId: UserId; readonly otpCode: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DisableTwoFactorCommand)
export class DisableTwoFactorHandler implements ICommandHandler<DisableTwoFactorCommand> {
  constructor(
    private readonly check: SecondFactorCheck,
    private readonly views: AccountViews,
    private readonly secondFactors: SecondFactors,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: DisableTwoFactorCommand): Promise<void> {
    const { userId, twoFactor } = await this.views.userOf(data.userId);
    const proof = await this.secondFactors.proofOf(userId, twoFactor, data.otpCode);
    const command = {
      type: 'DisableTwoFactor',
      data: { userId, proof, at: instant(this.clock) },
    } as const;
    await this.check.run(command, context);
  }
}
