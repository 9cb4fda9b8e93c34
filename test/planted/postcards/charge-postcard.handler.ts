import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type PostcardDelivered } from './postcard.events.js';
import { COUNT_STEP, WORDS } from './postcard.product.js';
import { holdOf } from './postcard-hold.js';
import { POSTCARD_SETTINGS, type PostcardSettings } from './postcards.settings.js';

/** Charges a delivered postcard for the words that were counted; a repeat changes nothing. */
export class ChargePostcardCommand extends Command<void> {
  constructor(
    readonly data: PostcardDelivered['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChargePostcardCommand)
export class ChargePostcardHandler implements ICommandHandler<ChargePostcardCommand> {
  constructor(
    private readonly processes: PaidProcesses,
    @Inject(POSTCARD_SETTINGS) private readonly settings: PostcardSettings,
  ) {}

  async execute({ data, context }: ChargePostcardCommand): Promise<void> {
    await this.processes.charge(
      {
        hold: holdOf(data, data.deliveredAt, this.settings),
        status: 'completed',
        endedAt: data.deliveredAt,
        usage: [{ step: COUNT_STEP, meter: WORDS, quantity: data.words }],
        usageSource: 'counted',
        evidence: { postcardId: data.postcardId },
      },
      context,
    );
  }
}
