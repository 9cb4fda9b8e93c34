import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Position } from '#platform/event-store/event-store.port.js';
import { type OwnedServer } from './owned-servers.js';
import { ServerSecrets } from './server-secrets.js';
import { ServerStreams } from './server-streams.js';

export interface OwnedServers {
  readonly servers: readonly OwnedServer[];
  readonly position: Position;
}

/** The servers of an account, as the log has them. */
export class RegisteredServersQuery extends Query<OwnedServers> {
  constructor(readonly accountId: string) {
    super();
  }
}

@QueryHandler(RegisteredServersQuery)
export class RegisteredServersHandler implements IQueryHandler<RegisteredServersQuery> {
  constructor(
    private readonly streams: ServerStreams,
    private readonly secrets: ServerSecrets,
  ) {}

  async execute({ accountId }: RegisteredServersQuery): Promise<OwnedServers> {
    const { servers, position } = await this.streams.of(accountId);
    const owned = [...servers.values()].map(async (server) => {
      const url = await this.secrets.urlOf(server.registered);
      return { server, url, described: new Map() };
    });
    return { servers: await Promise.all(owned), position };
  }
}
