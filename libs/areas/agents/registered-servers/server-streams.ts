import { Inject, Injectable } from '@nestjs/common';
import { type McpServerEvent, mcpServerEvents } from '#events/agents/mcp-server.events.js';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import {
  noServer,
  type RegisteredServer,
  type RegisteredServersCommand,
  registeredServersDecider,
  type RegisteredServersState,
} from './registered-servers.decider.js';

type Servers = RegisteredServersState['servers'];

const streamOf = (accountId: string): string => `mcpservers-${accountId}`;

/** The servers of every account, as the log has them now. */
@Injectable()
export class ServerStreams {
  readonly #runner: CommandRunner<RegisteredServersCommand, RegisteredServersState, McpServerEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = registeredServersDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(mcpServerEvents) });
  }

  /** @throws DomainError of the decider */
  async run(command: RegisteredServersCommand, context: CommandContext): Promise<Servers> {
    const stream = streamOf(command.data.accountId);
    return (await this.#runner.run(stream, command, context)).state.servers;
  }

  async of(accountId: string): Promise<{ readonly servers: Servers; readonly position: Position }> {
    const { state, position } = await this.#runner.stateOf(streamOf(accountId));
    return { servers: state.servers, position };
  }

  /** @throws DomainError `mcp_server_not_found` */
  async demand(accountId: string, name: string): Promise<RegisteredServer> {
    const { servers } = await this.of(accountId);
    return servers.get(name) ?? noServer(name);
  }
}
