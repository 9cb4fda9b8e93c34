import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { BoundedFetch } from './bounded-fetch.js';
import { describedBy, digestsOf, forOwner, type OwnedServer } from './owned-servers.js';
import { noServer } from './registered-servers.decider.js';
import { type ServerAccess, ServerSecrets } from './server-secrets.js';
import { ServerSessions } from './server-sessions.js';
import { ServerStreams } from './server-streams.js';

export interface ServerOrder extends ServerAccess {
  readonly accountId: string;
  readonly userId: UserId;
  readonly name: string;
}

/** Registers a server that answers. None of its tools is allowed. */
export class RegisterServerCommand extends Command<OwnedServer> {
  constructor(
    readonly order: ServerOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RegisterServerCommand)
export class RegisterServerHandler implements ICommandHandler<RegisterServerCommand> {
  constructor(
    private readonly streams: ServerStreams,
    private readonly secrets: ServerSecrets,
    private readonly sessions: ServerSessions,
    private readonly fetches: BoundedFetch,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `mcp_url_not_allowed`, `mcp_server_unavailable`, `mcp_list_too_large`,
   *   `mcp_server_exists`, `too_many_mcp_servers`
   */
  async execute({ order, context }: RegisterServerCommand): Promise<OwnedServer> {
    const { accountId, userId, name, url } = order;
    this.fetches.demandUrl(url);
    const listing = this.sessions.with(order, (session) => session.list());
    const listed = await forOwner(listing);
    const data = {
      accountId,
      server: name,
      registrationId: derivedId('mcp-server', context.requestId),
      userId,
      ...(await this.secrets.seal(userId, order)),
      tools: digestsOf(listed),
      registeredAt: instant(this.clock),
    };
    const servers = await this.streams.run({ type: 'RegisterServer', data }, context);
    const server = servers.get(name) ?? noServer(name);
    return { server, url, described: describedBy(listed) };
  }
}
