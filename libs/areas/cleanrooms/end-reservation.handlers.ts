import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Rooms } from './rooms.js';
import { StoredAnswers } from './stored-answers.js';

/** Commands of `privacy-reservation.saga.ts`. Each may come twice. */
export class ReleasePrivacyCommand extends Command<void> {
  constructor(
    readonly cleanroomId: string,
    readonly spendId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReleasePrivacyCommand)
export class ReleasePrivacyHandler implements ICommandHandler<ReleasePrivacyCommand> {
  constructor(
    private readonly rooms: Rooms,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ cleanroomId, spendId, context }: ReleasePrivacyCommand): Promise<void> {
    const data = { spendId, releasedAt: instant(this.clock) };
    await this.rooms.run(cleanroomId, { type: 'ReleasePrivacy', data }, context);
  }
}

export class RetainAnswerCommand extends Command<void> {
  constructor(
    readonly cleanroomId: string,
    readonly spendId: string,
  ) {
    super();
  }
}

@CommandHandler(RetainAnswerCommand)
export class RetainAnswerHandler implements ICommandHandler<RetainAnswerCommand> {
  constructor(private readonly answers: StoredAnswers) {}

  execute({ cleanroomId, spendId }: RetainAnswerCommand): Promise<void> {
    return this.answers.retain(cleanroomId, spendId);
  }
}
