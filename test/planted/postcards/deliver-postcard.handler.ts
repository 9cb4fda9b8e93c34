import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { countingEngine } from './counting.engine.js';
import { type PostcardWritten } from './postcard.events.js';
import { PostcardRunner } from './postcard-runner.js';

/** Has an engine count the words, and delivers the postcard. */
export class DeliverPostcardCommand extends Command<void> {
  constructor(
    readonly data: PostcardWritten['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DeliverPostcardCommand)
export class DeliverPostcardHandler implements ICommandHandler<DeliverPostcardCommand> {
  constructor(
    private readonly tasks: Tasks,
    private readonly postcards: PostcardRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: DeliverPostcardCommand): Promise<void> {
    const { postcardId, accountId, greeting } = data;
    const { signal } = new AbortController();
    const words = this.tasks.run(countingEngine, { greeting }, signal);
    let next = await words.next();
    while (!next.done) next = await words.next();
    if (!next.value) throw new Error('the engine ended without a count');
    const delivered = { postcardId, accountId, ...next.value, deliveredAt: instant(this.clock) };
    await this.postcards.run({ type: 'DeliverPostcard', data: delivered }, context);
  }
}
