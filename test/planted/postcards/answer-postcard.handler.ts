import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { PostcardId } from './postcard.events.js';
import { PostcardRunner } from './postcard-runner.js';

/** A reply, as it comes over the bus. */
export const PostcardReply = z.strictObject({ postcardId: PostcardId, reply: z.string().min(1) });
export type PostcardReply = z.infer<typeof PostcardReply>;

export class AnswerPostcardCommand extends Command<void> {
  constructor(
    readonly data: PostcardReply,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(AnswerPostcardCommand)
export class AnswerPostcardHandler implements ICommandHandler<AnswerPostcardCommand> {
  constructor(
    private readonly postcards: PostcardRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ data, context }: AnswerPostcardCommand): Promise<void> {
    const answered = { ...data, answeredAt: instant(this.clock) };
    return this.postcards.run({ type: 'AnswerPostcard', data: answered }, context);
  }
}
