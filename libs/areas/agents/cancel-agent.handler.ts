import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { AgentAccess } from './session/agent-access.js';

/** Stops a session: its job ends, and the saga ends the session with it. */
export class CancelAgentCommand extends Command<void> {
  constructor(
    /** As a caller sent it. */
    readonly sessionId: string,
    readonly reader: Reader,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CancelAgentCommand)
export class CancelAgentHandler implements ICommandHandler<CancelAgentCommand> {
  constructor(
    private readonly access: AgentAccess,
    private readonly jobs: Jobs,
  ) {}

  /** An ended session stays as it is. @throws DomainError `agent_session_not_found` */
  async execute({ sessionId, reader, context }: CancelAgentCommand): Promise<void> {
    const session = await this.access.find(sessionId, reader);
    if (session.status === 'ended') return;
    await this.jobs.cancel(JobId.parse(session.started.sessionId), context);
  }
}
