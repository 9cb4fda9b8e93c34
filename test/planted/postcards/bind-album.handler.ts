import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { albumJob, wordsOf } from './album.job.js';
import { RATE_CARD_VERSION } from './postcard.product.js';
import { POSTCARD_SETTINGS, type PostcardSettings } from './postcards.settings.js';

/** Has an album bound; the id of the job is the id of the request. */
export class BindAlbumCommand extends Command<{ readonly jobId: JobId }> {
  constructor(
    readonly data: { readonly accountId: string; readonly greetings: readonly string[] },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(BindAlbumCommand)
export class BindAlbumHandler implements ICommandHandler<BindAlbumCommand> {
  constructor(
    private readonly jobs: Jobs,
    @Inject(POSTCARD_SETTINGS) private readonly settings: PostcardSettings,
  ) {}

  async execute({ data, context }: BindAlbumCommand): Promise<{ readonly jobId: JobId }> {
    const { accountId, greetings } = data;
    const jobId = JobId.parse(context.requestId);
    const line = {
      meter: 'words',
      quantity: wordsOf(greetings),
      unitPriceMicroUsd: String(this.settings.microUsdPerWord),
      perUnits: 1,
    };
    const hold = { lines: [line], rateCardVersion: RATE_CARD_VERSION, evidence: {} };
    const input = { greetings: [...greetings] };
    const summary = { greetings: greetings.length };
    await this.jobs.submit(albumJob, { jobId, accountId, input, summary, hold }, context);
    return { jobId };
  }
}
