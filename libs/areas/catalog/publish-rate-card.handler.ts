import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type PublishRateCard } from './rate-card.decider.js';
import { RATE_CARD_RUNNER, RATE_CARD_STREAM, type RateCardRunner } from './rate-card-runner.js';

export interface RateCardReceipt {
  /** The log position at which the prices hold. */
  readonly position: bigint;
}

/** Publishes the prices of one reading of the catalog; current prices produce no event. */
export class PublishRateCardCommand extends Command<RateCardReceipt> {
  constructor(
    readonly data: PublishRateCard['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(PublishRateCardCommand)
export class PublishRateCardHandler implements ICommandHandler<PublishRateCardCommand> {
  constructor(@Inject(RATE_CARD_RUNNER) private readonly runner: RateCardRunner) {}

  async execute({ data, context }: PublishRateCardCommand): Promise<RateCardReceipt> {
    const command = { type: 'PublishRateCard', data } as const;
    const { position } = await this.runner.run(RATE_CARD_STREAM, command, context);
    return { position };
  }
}
