import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type Capture } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type PostcardDelivered } from './postcard.events.js';
import { postcardProduct, wordLine } from './postcard.product.js';
import { POSTCARD_SETTINGS, type PostcardSettings } from './postcards.settings.js';

/** Charges a delivered postcard for the words that were counted. */
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
    private readonly ledger: Ledger,
    @Inject(POSTCARD_SETTINGS) private readonly settings: PostcardSettings,
  ) {}

  async execute({ data, context }: ChargePostcardCommand): Promise<void> {
    const { postcardId, accountId, words, deliveredAt } = data;
    const capture: Capture = {
      accountId,
      holdId: postcardId,
      purpose: postcardProduct.purpose,
      rig: null,
      lines: [wordLine(words, this.settings.microUsdPerWord)],
      usageSource: 'counted',
      excess: [],
      outcome: 'completed',
      evidence: { postcardId },
      capturedAt: deliveredAt,
    };
    try {
      await this.ledger.capture(capture, context);
    } catch (error) {
      // A saga sends a command at least once: the first one has charged.
      if (!(error instanceof DomainError) || error.code !== 'hold_not_open') throw error;
    }
  }
}
