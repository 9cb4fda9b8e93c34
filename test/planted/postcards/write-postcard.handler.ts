import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { PostOffice } from './post-office.js';
import { holdOf } from './postcard-hold.js';
import { PostcardRunner } from './postcard-runner.js';
import { reject } from './postcards.errors.js';
import { POSTCARD_SETTINGS, type PostcardSettings } from './postcards.settings.js';

/** Takes a postcard and holds the price of its longest reading. Its id is the id of the request. */
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
    private readonly processes: PaidProcesses,
    private readonly postcards: PostcardRunner,
    @Inject(POSTCARD_SETTINGS) private readonly settings: PostcardSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: WritePostcardCommand): Promise<{ readonly postcardId: string }> {
    const { accountId, greeting } = data;
    const { wordsMax } = this.settings;
    if (greeting.split(' ').length > wordsMax) {
      reject('postcard_too_long', `a postcard has at most ${wordsMax} words`);
    }
    this.office.take();
    const postcardId = context.requestId;
    const writtenAt = instant(this.clock);
    const hold = holdOf({ accountId, postcardId }, writtenAt, this.settings);
    await this.processes.place(hold, writtenAt, context);
    const written = { postcardId, accountId, greeting, writtenAt };
    await this.postcards.run({ type: 'WritePostcard', data: written }, context);
    return { postcardId };
  }
}
