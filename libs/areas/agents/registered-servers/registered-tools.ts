import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { MeterPrices, meterPrice } from '#platform/ledger/meter-prices.port.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { foreignToolName, partsOfForeignTool } from '#platform/tools/foreign-tool.js';
import {
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
} from '#platform/tools/tool.js';
import { MCP_CALLS_METER } from '../agent.product.js';
import { rejectAgents } from '../agents.errors.js';
import { forOwner } from './owned-servers.js';
import {
  quarantineOf,
  type RegisteredServer,
  type RegisteredTool,
} from './registered-servers.decider.js';
import { ServerLists } from './server-lists.js';
import { type DescribedTool } from './server-sessions.js';
import { ServerSecrets } from './server-secrets.js';
import { ServerStreams } from './server-streams.js';

interface KnownTool {
  readonly server: RegisteredServer;
  readonly tool: string;
}

export interface NamedServer {
  /** Null after the user was erased. */
  readonly url: string | null;
  /**
   * Its tools that can be called now.
   * @throws DomainError `mcp_server_unavailable`, `mcp_list_too_large`
   */
  readonly callable: () => Promise<readonly DescribedTool[]>;
}

/** The tools of the MCP servers that accounts registered. Each call has a price of the operator. */
@Injectable()
export class RegisteredTools {
  constructor(
    private readonly streams: ServerStreams,
    private readonly lists: ServerLists,
    private readonly secrets: ServerSecrets,
    private readonly prices: MeterPrices,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The tools of an account that can be called now. A server that does not answer has none.
   * @param names only these; left out: all
   */
  async callable(accountId: string, names?: readonly string[]): Promise<readonly DescribedTool[]> {
    const { servers } = await this.streams.of(accountId);
    const lists = [...servers.values()].map((server) => this.#callableOf(server, names));
    return (await Promise.all(lists)).flat();
  }

  /**
   * The worst case is the call.
   * @throws ToolError `unknown_tool`, `mcp_tool_not_allowed`, `mcp_tool_quarantined`; DomainError
   *   `mcp_calls_not_priced`
   */
  async estimate(name: string, input: unknown, call: ToolCall): Promise<ToolEstimate> {
    await this.demand(name, call.accountId);
    argumentsOf(name, input);
    const { rateCardVersion, lineOf } = meterPrice(
      this.prices.inForce(call.pricedAtMs),
      MCP_CALLS_METER,
      (detail) => rejectAgents('mcp_calls_not_priced', detail),
    );
    return { lines: [lineOf(1)], rateCardVersion };
  }

  /**
   * The server lists its tools in the session of the call: a tool that has changed is not called.
   * @throws ToolError
   */
  async run(name: string, input: unknown, call: ToolCall): Promise<ToolOutcome<unknown>> {
    const { server, tool } = await this.demand(name, call.accountId);
    const { sha256 } = knownIn(server, tool) ?? unknownTool(name);
    const given = argumentsOf(name, input);
    const output = await this.lists.with(
      server,
      (listed, session) => {
        const found = listed.find((one) => one.tool === tool) ?? unknownTool(name);
        if (found.sha256 !== sha256) return rejectQuarantined(name);
        return session.call(found, given, call.id);
      },
      call.signal,
    );
    return { output, used: [{ meter: MCP_CALLS_METER, quantity: 1 }], counters: {} };
  }

  /** @throws ToolError `unknown_tool`, `mcp_tool_not_allowed`, `mcp_tool_quarantined` */
  async demand(name: string, accountId: string): Promise<KnownTool> {
    const [ofServer = '', tool = ''] = partsOfForeignTool(name);
    const { servers } = await this.streams.of(accountId);
    const server = servers.get(ofServer) ?? unknownTool(name);
    const known = knownIn(server, tool) ?? unknownTool(name);
    if (known.isQuarantined) return rejectQuarantined(name);
    if (known.isAllowed) return { server, tool };
    throw new ToolError('mcp_tool_not_allowed', `the owner of the account has not allowed ${name}`);
  }

  /**
   * One server for a request that names it.
   * @throws DomainError `mcp_server_not_found`
   */
  async server(accountId: string, name: string): Promise<NamedServer> {
    const server = await this.streams.demand(accountId, name);
    const callable = async () =>
      (await this.#unchanged(server)).filter(({ tool }) => isCallable(knownIn(server, tool)));
    return {
      url: await this.secrets.urlOf(server.registered),
      callable: () => forOwner(callable()),
    };
  }

  /** @throws ToolError `mcp_server_unavailable`, `mcp_list_too_large` */
  async #unchanged(server: RegisteredServer): Promise<readonly DescribedTool[]> {
    const listed = await this.lists.of(server);
    return listed.filter(({ tool, sha256 }) => knownIn(server, tool)?.sha256 === sha256);
  }

  async #callableOf(
    server: RegisteredServer,
    names: readonly string[] | undefined,
  ): Promise<readonly DescribedTool[]> {
    const { server: ofServer } = server.registered;
    const isWanted = (tool: string): boolean =>
      isCallable(knownIn(server, tool)) &&
      (names?.includes(foreignToolName(ofServer, tool)) ?? true);
    if (![...server.tools.keys()].some(isWanted)) return [];
    try {
      return (await this.#unchanged(server)).filter(({ tool }) => isWanted(tool));
    } catch (error) {
      this.logger.info({ err: error }, 'an MCP server of an account does not list its tools');
      return [];
    }
  }
}

const knownIn = ({ tools }: RegisteredServer, tool: string): RegisteredTool | undefined =>
  tools.get(tool);

const isCallable = (tool: RegisteredTool | undefined): boolean =>
  tool?.isAllowed === true && !tool.isQuarantined;

const unknownTool = (name: string): never => {
  throw new ToolError('unknown_tool', `there is no tool ${name}`);
};

const rejectQuarantined = (name: string): never => {
  throw new ToolError('mcp_tool_quarantined', quarantineOf(name));
};

const argumentsOf = (name: string, input: unknown): unknown => {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  throw new ToolError('invalid_input', `the input of ${name} is invalid: expected an object`);
};
