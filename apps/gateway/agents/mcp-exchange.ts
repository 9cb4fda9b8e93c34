import { Inject, Injectable } from '@nestjs/common';
import { type CallToolResult, type Server, type Tool } from '@modelcontextprotocol/server';
import { type Logger } from 'pino';
import { z } from 'zod';
import { MCP_CALL_MS_MAX, ToolCalls, UnknownChargeError } from '#areas/agents/mcp/tool-calls.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { type AnyTool } from '#platform/tools/tool.js';
import { type ToolFailure, Tools } from '#platform/tools/tools.js';
import { OpenRequests } from '../../operations/open-requests.js';

/** A message of an MCP client, as it came over HTTP. */
export interface McpMessage {
  readonly caller: Caller;
  /** Of the HTTP request: the id of the call and of its hold. */
  readonly requestId: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly confirm?: () => Promise<boolean>;
}

/** What goes back. */
export interface McpAnswer {
  readonly status: number;
  /** JSON; undefined for a notification, which has no answer. */
  readonly body: unknown;
}

/** Of the protocol: the packages take a request as the Fetch standard has it. */
const ADDRESS = 'http://quipu/api/v1/mcp';

/** Serves the tools of this gateway to MCP clients: each message alone, without a session. */
@Injectable()
export class McpExchange {
  constructor(
    private readonly tools: Tools,
    private readonly calls: ToolCalls,
    private readonly requests: OpenRequests,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws what leaves the charge of a call unknown, and defects */
  async answer(message: McpMessage): Promise<McpAnswer> {
    const open = this.requests.open(MCP_CALL_MS_MAX);
    const broken: { error?: unknown } = {};
    try {
      const call = (name: string, input: unknown): Promise<CallToolResult> =>
        this.#call(message, name, input, open.signal).catch((error: unknown) => {
          broken.error = error;
          throw error;
        });
      const response = await this.#exchange(message, call, open.signal);
      if (broken.error !== undefined) throw broken.error;
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    } finally {
      open.close();
    }
  }

  /** The packages are loaded for the first message. */
  async #exchange(
    { headers, body }: McpMessage,
    call: (name: string, input: unknown) => Promise<CallToolResult>,
    signal: AbortSignal,
  ): Promise<Response> {
    const sdk = await import('@modelcontextprotocol/server');
    const server = (): Server => {
      const { Server: McpServer } = sdk;
      const made = new McpServer({ name: 'quipu', version: '1' }, { capabilities: { tools: {} } });
      made.setRequestHandler('tools/list', () => ({ tools: this.tools.list.map(this.#shown) }));
      made.setRequestHandler('tools/call', ({ params }) =>
        call(params.name, params.arguments ?? {}),
      );
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

  readonly #shown = ({ name, description, output }: AnyTool): Tool => {
    const inputSchema = { ...this.tools.inputSchemaOf(name), type: 'object' } as const;
    const schema = z.toJSONSchema(output, { io: 'output' });
    const structured = schema.type === 'object';
    return {
      name,
      description,
      inputSchema: inputSchema as Tool['inputSchema'],
      ...(structured && { outputSchema: schema as Tool['outputSchema'] }),
    };
  };

  async #call(
    { caller, requestId, confirm }: McpMessage,
    tool: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { accountId, userId, credential } = caller;
    const context = contextOf(requestId, `user:${userId}`, credential.keyId);
    const order = { tool, input, accountId, context, signal };
    try {
      const { output } = await this.calls.run(confirm ? { ...order, confirm } : order);
      return resultOf(output);
    } catch (error) {
      if (error instanceof UnknownChargeError) throw error;
      const failure = this.tools.failureOf(error);
      if (!failure) {
        this.logger.error({ err: error, tool, call: requestId }, 'a tool has failed');
        throw error;
      }
      return failedResult(failure);
    }
  }
}

const resultOf = (output: unknown): CallToolResult => {
  const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(output) }];
  const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
  return isObject ? { content, structuredContent: output as Record<string, unknown> } : { content };
};

const failedResult = ({ code, message }: ToolFailure): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify({ code, message }) }],
});
