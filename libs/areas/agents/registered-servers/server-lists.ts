import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { ToolError } from '#platform/tools/tool.js';
import { type RegisteredServer } from './registered-servers.decider.js';
import { ServerSecrets } from './server-secrets.js';
import {
  type DescribedTool,
  type OpenedServer,
  type ServerSession,
  ServerSessions,
} from './server-sessions.js';
import { ServerStreams } from './server-streams.js';

/** Lists the tools of a registered server, and writes which of them have changed. */
@Injectable()
export class ServerLists {
  constructor(
    private readonly streams: ServerStreams,
    private readonly secrets: ServerSecrets,
    private readonly sessions: ServerSessions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The server lists its tools, and the work has the list and the session.
   * @throws ToolError `mcp_server_unavailable`, `mcp_list_too_large`, and what the work throws
   */
  async with<Answer>(
    server: RegisteredServer,
    work: (listed: readonly DescribedTool[], session: ServerSession) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const opened = await this.#opened(server);
    return this.sessions.with(
      opened,
      async (session) => {
        const listed = await session.list();
        await this.#recordChanges(server, listed);
        return work(listed, session);
      },
      signal,
    );
  }

  of(server: RegisteredServer): Promise<readonly DescribedTool[]> {
    return this.with(server, (listed) => Promise.resolve(listed));
  }

  async #opened({ registered }: RegisteredServer): Promise<OpenedServer> {
    const { accountId, server: name } = registered;
    const access = await this.secrets.accessOf(registered);
    if (access) return { accountId, name, ...access };
    const detail = `the MCP server ${name}: its owner was erased, and its address with them`;
    throw new ToolError('mcp_server_unavailable', detail);
  }

  async #recordChanges(
    { registered, tools: known }: RegisteredServer,
    listed: readonly DescribedTool[],
  ): Promise<void> {
    const changed = listed.filter(({ tool, sha256 }) => {
      const before = known.get(tool);
      return before && !before.isQuarantined && before.sha256 !== sha256;
    });
    if (changed.length === 0) return;
    const { accountId, server } = registered;
    const tools = changed.map(({ tool, sha256 }) => ({ tool, sha256 }));
    const data = { accountId, server, tools, listedAt: instant(this.clock) };
    await this.streams.run({ type: 'RecordChanges', data }, ownContext());
  }
}

/** Of what a list has shown: no request asked for it. */
const ownContext = (): CommandContext => contextOf(randomUUID(), 'system:agents');
