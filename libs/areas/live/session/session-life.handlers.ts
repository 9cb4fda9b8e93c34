import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { SessionFunds } from './session-funds.js';
import { LAPSE_MS } from './session-life.saga.js';
import { SessionStreams } from './session-streams.js';

/** A command of `session-life.saga.ts`. Each may come twice. */
abstract class OnSession extends Command<void> {
  constructor(
    readonly sessionId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class LapseSessionCommand extends OnSession {}
export class ChargeSessionCommand extends OnSession {}

@CommandHandler(LapseSessionCommand)
export class LapseSessionHandler implements ICommandHandler<LapseSessionCommand> {
  constructor(
    private readonly sessions: SessionStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ sessionId, context }: LapseSessionCommand): Promise<void> {
    const data = { now: instant(this.clock), graceMs: LAPSE_MS };
    await this.sessions.run(sessionId, { type: 'LapseSession', data }, context);
  }
}

@CommandHandler(ChargeSessionCommand)
export class ChargeSessionHandler implements ICommandHandler<ChargeSessionCommand> {
  constructor(
    private readonly sessions: SessionStreams,
    private readonly funds: SessionFunds,
  ) {}

  async execute({ sessionId, context }: ChargeSessionCommand): Promise<void> {
    const session = await this.sessions.stateOf(sessionId);
    if (session) await this.funds.charge(session, context);
  }
}
