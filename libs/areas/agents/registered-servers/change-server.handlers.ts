import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { rejectAgents } from '../agents.errors.js';
import { describedBy, digestsOf, forOwner, type OwnedServer } from './owned-servers.js';
import { noServer } from './registered-servers.decider.js';
import { ServerLists } from './server-lists.js';
import { ServerSecrets } from './server-secrets.js';
import { ServerStreams } from './server-streams.js';

interface OfServer {
  readonly accountId: string;
  readonly server: string;
}

interface OfTool extends OfServer {
  readonly tool: string;
}

export class RemoveServerCommand extends Command<void> {
  constructor(
    readonly of: OfServer,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RemoveServerCommand)
export class RemoveServerHandler implements ICommandHandler<RemoveServerCommand> {
  constructor(
    private readonly streams: ServerStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `mcp_server_not_found` */
  async execute({ of, context }: RemoveServerCommand): Promise<void> {
    const data = { ...of, removedAt: instant(this.clock) };
    await this.streams.run({ type: 'RemoveServer', data }, context);
  }
}

/** Lets the tool be called, or not any more. */
export class AllowToolCommand extends Command<void> {
  constructor(
    readonly of: OfTool,
    readonly isAllowed: boolean,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(AllowToolCommand)
export class AllowToolHandler implements ICommandHandler<AllowToolCommand> {
  constructor(
    private readonly streams: ServerStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `mcp_server_not_found`, `mcp_tool_not_found`, `mcp_tool_quarantined` */
  async execute({ of, isAllowed, context }: AllowToolCommand): Promise<void> {
    const now = instant(this.clock);
    await this.streams.run(
      isAllowed
        ? { type: 'AllowTool', data: { ...of, allowedAt: now } }
        : { type: 'ForbidTool', data: { ...of, forbiddenAt: now } },
      context,
    );
  }
}

/** Asks the server for its tools: new ones become known, changed ones are put into quarantine. */
export class RefreshServerCommand extends Command<OwnedServer> {
  constructor(
    readonly of: OfServer,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RefreshServerCommand)
export class RefreshServerHandler implements ICommandHandler<RefreshServerCommand> {
  constructor(
    private readonly streams: ServerStreams,
    private readonly lists: ServerLists,
    private readonly secrets: ServerSecrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `mcp_server_not_found`, `mcp_server_unavailable`, `mcp_list_too_large` */
  async execute({ of, context }: RefreshServerCommand): Promise<OwnedServer> {
    const known = await this.streams.demand(of.accountId, of.server);
    const listed = await forOwner(this.lists.of(known));
    const data = { ...of, tools: digestsOf(listed), listedAt: instant(this.clock) };
    const servers = await this.streams.run({ type: 'RecordList', data }, context);
    const server = servers.get(of.server) ?? noServer(of.server);
    const url = await this.secrets.urlOf(server.registered);
    return { server, url, described: describedBy(listed) };
  }
}

/** Ends a quarantine, for the description that the owner has read. */
export class ApproveToolCommand extends Command<void> {
  constructor(
    readonly of: OfTool,
    readonly sha256: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ApproveToolCommand)
export class ApproveToolHandler implements ICommandHandler<ApproveToolCommand> {
  constructor(
    private readonly streams: ServerStreams,
    private readonly lists: ServerLists,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `mcp_server_not_found`, `mcp_tool_not_found`, `mcp_server_unavailable`,
   *   `mcp_schema_changed`
   */
  async execute({ of, sha256, context }: ApproveToolCommand): Promise<void> {
    const server = await this.streams.demand(of.accountId, of.server);
    const listed = await forOwner(this.lists.of(server));
    const found = listed.find(({ tool }) => tool === of.tool);
    if (!found) {
      return rejectAgents('mcp_tool_not_found', `${of.server} lists no tool ${of.tool} now`);
    }
    if (found.sha256 !== sha256) {
      const detail = `schema_sha256: ${of.tool} now has ${found.sha256}; read it first`;
      return rejectAgents('mcp_schema_changed', detail);
    }
    const data = { ...of, sha256, approvedAt: instant(this.clock) };
    await this.streams.run({ type: 'ApproveTool', data }, context);
  }
}
