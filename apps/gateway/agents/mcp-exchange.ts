import { Inject, Injectable } from '@nestjs/common';
import { type CallToolResult, type McpServer } from '@modelcontextprotocol/server';
import { type z } from 'zod';
import { UNCHECKED } from '#areas/agents/mcp/mcp-tool.js';
import { MCP_CALL_MS_MAX, ToolCalls } from '#areas/agents/mcp/tool-calls.js';
import { RegisteredTools } from '#areas/agents/registered-servers/registered-tools.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { isForeignToolName } from '#platform/tools/foreign-tool.js';
import { type ToolDefinition } from '#platform/tools/tool.js';
import { type ToolFailure, Tools } from '#platform/tools/tools.js';
import { OpenRequests } from '../../operations/open-requests.js';

/** A message of an MCP client, as it came over HTTP. */
export interface McpMessage {
  readonly caller: Caller;
  /** Of the HTTP request: its id is the id of the call and of its hold. */
  readonly context: CommandContext;
  readonly headers: Headers;
  readonly body: unknown;
  readonly confirm?: () => Promise<boolean>;
}

interface ReceivedMessage extends McpMessage {
  /** Milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
}

/** The answer to an MCP message. */
export interface McpAnswer {
  readonly status: number;
  /** JSON; undefined for a notification, which has no answer. */
  readonly body: unknown;
}

type DescribedTool = ToolDefinition<z.ZodType, z.ZodType>;

/** A tool of a registered server, as clients see it. */
interface ForeignTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A batch of the versions of 2025: its calls would share the hold of the request. */
const SEVERAL: McpAnswer = {
  status: 400,
  body: {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, message: 'send one message in a request, not a batch' },
  },
};

/** The parts of a message that tell which tools it is about. */
interface RpcMessage {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } | null;
}

/** Of the protocol: the packages take a request as the Fetch standard has it. */
const ADDRESS = 'http://quipu/api/v1/mcp';

/**
 * Serves the tools of this gateway, and of the servers that the account registered, to MCP clients:
 * each message alone, without a session.
 */
@Injectable()
export class McpExchange {
  constructor(
    private readonly tools: Tools,
    private readonly registered: RegisteredTools,
    private readonly calls: ToolCalls,
    private readonly requests: OpenRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws what leaves the charge of a call unknown, and defects */
  async answer(message: McpMessage): Promise<McpAnswer> {
    if (Array.isArray(message.body)) return SEVERAL;
    const receivedAtMs = this.clock.now();
    const open = this.requests.open(MCP_CALL_MS_MAX);
    const broken: unknown[] = [];
    try {
      const call = (name: string, input: unknown): Promise<CallToolResult> =>
        this.#call({ ...message, receivedAtMs }, name, input, open.signal).catch(
          (error: unknown) => {
            broken.push(error);
            throw error;
          },
        );
      const response = await this.#exchange(message, call, open.signal);
      for (const error of broken) throw asError(error);
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    } finally {
      open.close();
    }
  }

  /** The packages are loaded for the first message. */
  async #exchange(
    { caller, headers, body }: McpMessage,
    call: (name: string, input: unknown) => Promise<CallToolResult>,
    signal: AbortSignal,
  ): Promise<Response> {
    const sdk = await import('@modelcontextprotocol/server');
    const foreign = await this.#foreignTools(caller.accountId, body);
    const server = (): McpServer => {
      const made = new sdk.McpServer({ name: 'quipu', version: '1' });
      for (const tool of this.tools.list) {
        const { name, description, input, output } = tool as DescribedTool;
        const shown = { description, inputSchema: input, outputSchema: output };
        made.registerTool(name, shown, (given: unknown) => call(name, given));
      }
      for (const { name, description, parameters } of foreign) {
        const inputSchema = sdk.fromJsonSchema(parameters, UNCHECKED);
        made.registerTool(name, { description, inputSchema }, (given) => call(name, given));
      }
      return made;
    };
    const request = new Request(ADDRESS, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    });
    if (!(await sdk.isLegacyRequest(request.clone(), body))) {
      const handler = sdk.createMcpHandler(server, { legacy: 'reject' });
      return handler.fetch(request, { parsedBody: body });
    }
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
    });
    await server().connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  }

  /** The tools of registered servers that the message is about; a call asks its server itself. */
  async #foreignTools(accountId: string, body: unknown): Promise<readonly ForeignTool[]> {
    const { method, params } = (body ?? {}) as RpcMessage;
    if (method === 'tools/list') return this.registered.callable(accountId);
    const name = method === 'tools/call' ? params?.name : undefined;
    if (typeof name !== 'string' || !isForeignToolName(name) || this.tools.find(name)) return [];
    return [{ name, description: '', parameters: { type: 'object' } }];
  }

  async #call(
    { caller: { accountId }, context, confirm, receivedAtMs }: ReceivedMessage,
    tool: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const order = { tool, input, accountId, receivedAtMs, context, signal };
    const answer = await this.calls.answer(confirm ? { ...order, confirm } : order);
    return 'failure' in answer ? failedResult(answer.failure) : resultOf(answer.output);
  }
}

const resultOf = (output: unknown): CallToolResult => {
  const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(output) }];
  const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
  return isObject ? { content, structuredContent: output } : { content };
};

const failedResult = ({ code, message }: ToolFailure): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify({ code, message }) }],
});

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error('a tool has failed', { cause: error });
