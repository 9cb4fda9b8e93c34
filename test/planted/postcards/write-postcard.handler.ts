import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { PostOffice } from './post-office.js';
import { postcardProduct, RATE_CARD_VERSION, wordLine } from './postcard.product.js';
import { PostcardRunner } from './postcard-runner.js';
import { reject } from './postcards.errors.js';
import { POSTCARD_SETTINGS, type PostcardSettings } from './postcards.settings.js';

const HOLD_MS = 600_000;

/** Takes a postcard and holds the price of its longest reading. Its id is that of the request. */
export class WritePostcardCommand extends Command<{ readonly postcardId: string }> {
  constructor(
    readonly data: { readonly accountId: string; readonly greeting: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(WritePostcardCommand)
export class WritePostcardHandler implements ICommandHandler<WritePostcardCommand> {
  constructor(
    private readonly office: PostOffice,
    private readonly ledger: Ledger,
    private readonly postcards: PostcardRunner,
    @Inject(POSTCARD_SETTINGS) private readonly settings: PostcardSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: WritePostcardCommand): Promise<{ readonly postcardId: string }> {
    const { accountId, greeting } = data;
    const { wordsMax, microUsdPerWord } = this.settings;
    if (greeting.split(' ').length > wordsMax) {
      reject('postcard_too_long', `a postcard has at most ${wordsMax} words`);
    }
    this.office.take();
    const postcardId = context.requestId;
    const writtenAt = instant(this.clock);
    await this.ledger.place(
      {
        accountId,
        holdId: postcardId,
        purpose: postcardProduct.purpose,
        lines: [wordLine(wordsMax, microUsdPerWord)],
        rateCardVersion: RATE_CARD_VERSION,
        shrink: null,
        evidence: {},
        placedAt: writtenAt,
        expiresAt: new Date(this.clock.now() + HOLD_MS).toISOString(),
      },
      context,
    );
    const written = { postcardId, accountId, greeting, writtenAt };
    await this.postcards.run({ type: 'WritePostcard', data: written }, context);
    return { postcardId };
  }
}
