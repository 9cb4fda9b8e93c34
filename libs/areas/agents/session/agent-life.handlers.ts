import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AgentSessionId, type TranscriptPart } from '#events/agents/agent-session.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AGENT_SETTINGS, type AgentSettings, transcriptUntil } from '../agents.settings.js';
import { type BrokenSession, type KeptPart } from './agent-life.saga.js';
import { type StartedSession } from './agent-session.state.js';
import { AgentStreams } from './agent-streams.js';
import { SessionMoney } from './session-money.js';
import { Transcripts } from './transcript.js';

/** The commands of the saga; every one may come twice. */

export class KeepTranscriptPartCommand extends Command<void> {
  constructor(readonly data: KeptPart) {
    super();
  }
}

@CommandHandler(KeepTranscriptPartCommand)
export class KeepTranscriptPartHandler implements ICommandHandler<KeepTranscriptPartCommand> {
  constructor(private readonly transcripts: Transcripts) {}

  async execute({ data: { part, ...owner } }: KeepTranscriptPartCommand): Promise<void> {
    await this.transcripts.keep(owner, part);
  }
}

/** Ends a session whose job was cancelled, failed or timed out. */
export class EndAgentSessionCommand extends Command<void> {
  constructor(
    readonly data: BrokenSession,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndAgentSessionCommand)
export class EndAgentSessionHandler implements ICommandHandler<EndAgentSessionCommand> {
  constructor(
    private readonly streams: AgentStreams,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  async execute({ data, context }: EndAgentSessionCommand): Promise<void> {
    const sessionId = AgentSessionId.parse(data.sessionId);
    const kept = transcriptUntil(data.endedAt, this.settings);
    const ended = { ...data, sessionId, transcriptUntil: kept };
    await this.streams.run({ type: 'EndSession', data: ended }, context);
  }
}

export class ChargeAgentSessionCommand extends Command<void> {
  constructor(
    readonly data: { readonly sessionId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChargeAgentSessionCommand)
export class ChargeAgentSessionHandler implements ICommandHandler<ChargeAgentSessionCommand> {
  constructor(
    private readonly streams: AgentStreams,
    private readonly money: SessionMoney,
  ) {}

  async execute({ data, context }: ChargeAgentSessionCommand): Promise<void> {
    const session = await this.streams.stateOf(data.sessionId);
    if (session.status === 'ended') await this.money.charge(session, context);
  }
}

export class ReleaseTranscriptCommand extends Command<void> {
  constructor(
    readonly data: { readonly sessionId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReleaseTranscriptCommand)
export class ReleaseTranscriptHandler implements ICommandHandler<ReleaseTranscriptCommand> {
  constructor(
    private readonly streams: AgentStreams,
    private readonly transcripts: Transcripts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: ReleaseTranscriptCommand): Promise<void> {
    const session = await this.streams.stateOf(data.sessionId);
    if (session.status !== 'ended' || session.isReleased) return;
    const { sessionId } = session.started;
    for (const part of partsOf(session)) await this.transcripts.release(session.started, part);
    const released = { sessionId, releasedAt: instant(this.clock) };
    await this.streams.run({ type: 'ReleaseTranscript', data: released }, context);
  }
}

const partsOf = ({ started, steps }: StartedSession): readonly TranscriptPart[] => [
  started.goal,
  ...steps.flatMap(({ planned, returned }) =>
    returned ? [planned.plan, returned.observation] : [planned.plan],
  ),
];
