import { type ToolCalls } from '#areas/agents/mcp/tool-calls.js';
import { type ChatBody, parseChatBody } from '#areas/inference/chat-body.js';
import { type Conversation } from '#areas/responses/response-store.js';
import { type Item } from '#areas/responses/translation/input-items.js';
import {
  type McpCallItem,
  mcpCallItem,
  type McpListItem,
  type McpResult,
} from '#areas/responses/translation/mcp-items.js';
import {
  MCP_CALLS_MAX,
  MCP_CHATS_MAX,
  type RemoteTool,
} from '#areas/responses/translation/mcp-tool.js';
import { type FileSearch } from '#areas/responses/translation/file-search.js';
import { type HostedWork, type McpWork } from '#areas/responses/translation/hosted-work.js';
import { type StreamEvent } from '#areas/responses/translation/early-items.js';
import { incompleteReason, type OutputItems } from '#areas/responses/translation/output-items.js';
import { type ResponseBody } from '#areas/responses/translation/response-body.js';
import { chatOf, keyOf } from '#areas/responses/translation/response-chat.js';
import { isFields } from '#platform/chats/read-answer.js';
import { type Clock } from '#platform/kernel/clock.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { callerContext } from '../identity/caller-context.js';
import { type AskedSearch } from './file-searches.js';
import { type ApprovedCall } from './mcp-approvals.js';

/** The meaning of a request: its own items, and the responses that it continues. */
export interface AskedResponse {
  readonly responseId: string;
  readonly body: ResponseBody;
  readonly input: readonly Item[];
  readonly before: Conversation | null;
}

interface RoundsOrder extends AskedResponse {
  readonly asked: AskedSearch;
  readonly tools: readonly RemoteTool[];
  readonly lists: readonly McpListItem[];
  readonly approvals: readonly ApprovedCall[];
}

/**
 * The chats of one response, and the calls of tools between them. Each has a hold and a charge of
 * its own.
 */
export class McpRounds {
  #approved: readonly McpCallItem[] = [];
  #calls = 0;
  #chats = 1;
  /** Whether the chat in progress may call no tool. A rig may ignore that. */
  #isLast = false;

  constructor(
    private readonly order: RoundsOrder,
    private readonly services: { readonly calls: ToolCalls; readonly clock: Clock },
  ) {}

  get work(): McpWork {
    const { tools, lists } = this.order;
    return { tools, items: [...lists, ...this.#approved] };
  }

  /** The chat that continues the items of the output. */
  chatAfter(output: readonly Item[], hosted: HostedWork, body: ResponseBody): ChatBody {
    const { input, before } = this.order;
    const contents = before?.contents ?? [];
    return parseChatBody(chatOf(body, [...input, ...output], contents, hosted));
  }

  async callApproved(signal: AbortSignal): Promise<void> {
    const { approvals, lists, responseId } = this.order;
    const called: McpCallItem[] = [];
    for (const { request, tool } of approvals) {
      const result = await this.#call(tool, request.arguments, signal);
      const id = `mcp_${keyOf(responseId)}${lists.length + called.length}`;
      called.push(mcpCallItem({ ...request, id }, result, request.id));
    }
    this.#approved = called;
  }

  /**
   * Makes the calls of the chat that has ended.
   * @returns the next chat; null: the response has ended, or waits for its caller
   */
  async *follow(
    items: OutputItems,
    search: FileSearch | null,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StreamEvent[], ChatBody | null, void> {
    yield items.closeChat();
    if (incompleteReason(items.finishReason) !== null) return null;
    const { waiting } = items;
    for (const call of waiting) {
      yield items.answer(call, await this.#call(call.tool, call.arguments, signal));
    }
    if (waiting.length === 0 || items.needsCaller || this.#isLast) return null;
    this.#chats += 1;
    this.#isLast = this.#chats >= MCP_CHATS_MAX || this.#calls >= this.#callsMax;
    const { body } = this.order;
    const hosted = { search, mcp: this.work };
    return this.chatAfter(items.items, hosted, { ...body, tool_choice: this.#choice() });
  }

  get #callsMax(): number {
    return this.order.body.max_tool_calls ?? MCP_CALLS_MAX;
  }

  /** A choice that forces a call holds for the first chat: else no chat could be the last. */
  #choice(): ResponseBody['tool_choice'] {
    if (this.#isLast) return 'none';
    const { tool_choice: choice } = this.order.body;
    return choice === 'none' ? choice : 'auto';
  }

  async #call(
    { calledAs: tool }: RemoteTool,
    json: string,
    signal: AbortSignal,
  ): Promise<McpResult> {
    if (this.#isLast || this.#calls >= this.#callsMax) {
      return { error: 'the response has made as many calls of tools as it may' };
    }
    this.#calls += 1;
    const { caller, requestId, headers, attempt } = this.order.asked;
    const id = derivedId(`mcp call ${this.#calls}`, requestId);
    const input = argumentsIn(json);
    if (input === undefined) return { error: 'the arguments are not JSON' };
    const answer = await this.services.calls.answer({
      tool,
      input,
      accountId: caller.accountId,
      receivedAtMs: this.services.clock.now(),
      context: callerContext({ id, headers }, caller),
      signal,
      ...(attempt && { confirm: attempt.confirm }),
    });
    signal.throwIfAborted();
    if ('output' in answer) return { output: textOf(answer.output) };
    const { code, message } = answer.failure;
    return { error: `${code}: ${message}` };
  }
}

const argumentsIn = (json: string): unknown => {
  try {
    return json === '' ? {} : JSON.parse(json);
  } catch {
    return undefined;
  }
};

/** A result of text alone is that text. */
const textOf = (output: unknown): string =>
  isFields(output) && typeof output['text'] === 'string' && Object.keys(output).length === 1
    ? output['text']
    : JSON.stringify(output);
