import { type Fields, type ReadChoice, type ReadToolCall } from '#platform/chats/read-answer.js';
import { type EarlyItem, earlyEvents, type StreamEvent } from './early-items.js';
import { citationsIn, fileSearchItem } from './file-search.js';
import { type HostedWork } from './hosted-work.js';
import { type FunctionCallItem, type ItemStatus, type MessageItem } from './input-items.js';
import {
  type McpApprovalRequest,
  type McpCallItem,
  mcpCallItem,
  type McpResult,
} from './mcp-items.js';
import { type RemoteTool } from './mcp-tool.js';

export type OutputItem = MessageItem | FunctionCallItem | McpApprovalRequest | EarlyItem;

type PartKind = 'output_text' | 'refusal';

interface OpenPart {
  readonly kind: PartKind;
  text: string;
  readonly logprobs: unknown[];
}

interface OpenMessage {
  readonly type: 'message';
  readonly id: string;
  readonly parts: OpenPart[];
  isDone: boolean;
}

interface OpenCall {
  readonly type: 'function_call';
  readonly id: string;
  readonly position: number;
  callId: string;
  name: string;
  json: string;
  isDone: boolean;
}

/** A call of a tool of an MCP server. */
interface OpenRemoteCall {
  readonly type: 'mcp_call';
  readonly id: string;
  readonly position: number;
  readonly tool: RemoteTool;
  json: string;
  /** Whether its arguments are whole. */
  isDone: boolean;
  result: McpResult | null;
}

interface EndedItem {
  readonly type: 'early';
  readonly item: EarlyItem;
  readonly isDone: true;
}

type OpenItem = OpenMessage | OpenCall | OpenRemoteCall | EndedItem;

/** A call of a tool of an MCP server that waits for its result. */
export interface WaitingCall {
  readonly tool: RemoteTool;
  /** JSON. */
  readonly arguments: string;
  /** Its place among the items. */
  readonly at: number;
}

/**
 * Makes the output items of a response from the answer of a chat, as a whole or in pieces, with the
 * events that announce them. Pieces and the whole make the same items.
 */
export class OutputItems {
  readonly #items: OpenItem[];
  #finishReason: string | null = null;

  /**
   * @param key the seed of the ids of the items
   * @param hosted the work before the first chat, which the first items show
   */
  constructor(
    private readonly key: string,
    private readonly hosted: HostedWork = {},
  ) {
    const { search, mcp } = hosted;
    const early: EarlyItem[] = mcp ? [...mcp.items] : [];
    if (search) early.unshift(fileSearchItem(`fs_${key}0`, search));
    this.#items = early.map((item) => ({ type: 'early', item, isDone: true }));
  }

  get finishReason(): string | null {
    return this.#finishReason;
  }

  /** Announces the work before the answer. */
  begin(): StreamEvent[] {
    return this.#items.flatMap((open, n) =>
      open.type === 'early' ? earlyEvents(open.item, n) : [],
    );
  }

  /** The calls whose arguments are whole, and that need no approval. */
  get waiting(): readonly WaitingCall[] {
    return this.#items.flatMap((item, at) =>
      item.type === 'mcp_call' && item.isDone && !item.result && !item.tool.needsApproval
        ? { tool: item.tool, arguments: item.json, at }
        : [],
    );
  }

  /** Whether the caller must act before the model can continue. */
  get needsCaller(): boolean {
    return this.#items.some(
      (item) =>
        item.type === 'function_call' || (item.type === 'mcp_call' && item.tool.needsApproval),
    );
  }

  /** Ends a waiting call. */
  answer({ at: n }: WaitingCall, result: McpResult): StreamEvent[] {
    const item = this.#items[n];
    if (item?.type !== 'mcp_call') return [];
    item.result = result;
    return this.#ended(item, n);
  }

  /** Closes the items of a chat, which another one may follow. */
  closeChat(): StreamEvent[] {
    const events: StreamEvent[] = [];
    this.#closeAll(events);
    return events;
  }

  /** Adds a choice, or a piece of it. A response has the first choice only. */
  add({ index, text, declined, toolCalls, finishReason, logprobs }: ReadChoice): StreamEvent[] {
    if (index !== 0) return [];
    this.#finishReason = finishReason ?? this.#finishReason;
    const events: StreamEvent[] = [];
    const content = logprobs?.['content'];
    const probabilities: readonly unknown[] = Array.isArray(content) ? content : [];
    if (text !== '') this.#say('output_text', text, probabilities, events);
    if (declined !== '') this.#say('refusal', declined, [], events);
    for (const call of toolCalls) this.#call(call, events);
    return events;
  }

  /** Closes all items; an answer without any gets an empty message. */
  end(): StreamEvent[] {
    const events: StreamEvent[] = [];
    const isEmpty = this.#items.every(
      (item) => item.type === 'early' || (item.type === 'mcp_call' && item.result !== null),
    );
    if (isEmpty) this.#openMessage('output_text', events);
    this.#closeAll(events);
    for (const [n, item] of this.#items.entries()) {
      if (item.type === 'mcp_call' && !item.result && !item.tool.needsApproval) {
        events.push(...this.#ended(item, n));
      }
    }
    return events;
  }

  get items(): readonly OutputItem[] {
    return this.#items.map((item, n) => this.#shown(item, n));
  }

  #say(kind: PartKind, text: string, logprobs: readonly unknown[], events: StreamEvent[]): void {
    const last = this.#items.at(-1);
    const message = last?.type === 'message' && !last.isDone ? last : null;
    const [at, part] = message
      ? this.#partOf(message, kind, events)
      : this.#openMessage(kind, events);
    part.text += text;
    part.logprobs.push(...logprobs);
    const delta = { ...at, delta: text };
    events.push(
      kind === 'output_text'
        ? { type: 'response.output_text.delta', ...delta, logprobs }
        : { type: 'response.refusal.delta', ...delta },
    );
  }

  #openMessage(kind: PartKind, events: StreamEvent[]): readonly [object, OpenPart] {
    this.#closeAll(events);
    const n = this.#items.length;
    const id = `msg_${this.key}${n}`;
    const message: OpenMessage = { type: 'message', id, parts: [], isDone: false };
    this.#items.push(message);
    const item = this.#shown(message, n);
    events.push({ type: 'response.output_item.added', output_index: n, item });
    return this.#partOf(message, kind, events);
  }

  #partOf(message: OpenMessage, kind: PartKind, events: StreamEvent[]): [object, OpenPart] {
    const output_index = this.#items.length - 1;
    const last = message.parts.at(-1);
    const content_index = last?.kind === kind ? message.parts.length - 1 : message.parts.length;
    const at = { item_id: message.id, output_index, content_index };
    if (last?.kind === kind) return [at, last];
    if (last) events.push(...this.#partDone(message, output_index, message.parts.length - 1));
    const part: OpenPart = { kind, text: '', logprobs: [] };
    message.parts.push(part);
    events.push({ type: 'response.content_part.added', ...at, part: this.#shownPart(part) });
    return [at, part];
  }

  #call({ index, id, name, arguments: json }: ReadToolCall, events: StreamEvent[]): void {
    let n = this.#items.findIndex(
      (item) => isCall(item) && !item.isDone && item.position === index,
    );
    if (n === -1) {
      n = this.#items.length;
      const last = this.#items.at(-1);
      if (last?.type === 'message') this.#close(last, n - 1, events);
      this.#openCall({ index, id, name }, events);
    } else {
      const known = this.#items[n];
      if (known?.type === 'function_call' && known.name === '') known.name = name;
    }
    const item = this.#items[n];
    if (!item || !isCall(item) || json === '') return;
    item.json += json;
    if (isRequest(item)) return;
    const at = { item_id: item.id, output_index: n };
    events.push({ type: `response.${argumentsOf(item)}.delta`, ...at, delta: json });
  }

  /** A request for an approval is announced when its arguments are whole. */
  #openCall(
    { index: position, id, name }: Omit<ReadToolCall, 'arguments'>,
    events: StreamEvent[],
  ): void {
    const n = this.#items.length;
    const tool = this.hosted.mcp?.tools.find(({ calledAs }) => calledAs === name);
    const open = { position, json: '', isDone: false };
    if (tool?.needsApproval === true) {
      const request = { type: 'mcp_call', id: `mcpr_${this.key}${n}`, tool, result: null } as const;
      this.#items.push({ ...request, ...open });
      return;
    }
    const call: OpenCall | OpenRemoteCall = tool
      ? { type: 'mcp_call', id: `mcp_${this.key}${n}`, tool, result: null, ...open }
      : {
          type: 'function_call',
          id: `fc_${this.key}${n}`,
          callId: id === '' ? `call_${this.key}${n}` : id,
          name,
          ...open,
        };
    this.#items.push(call);
    const item = this.#shown(call, n);
    events.push({ type: 'response.output_item.added', output_index: n, item });
    if (call.type === 'function_call') return;
    events.push({ type: 'response.mcp_call.in_progress', output_index: n, item_id: call.id });
  }

  /** Announces the end of a call of a tool of an MCP server. */
  #ended(call: OpenRemoteCall, output_index: number): StreamEvent[] {
    const item = this.#shown(call, output_index);
    const done = { type: 'response.output_item.done', output_index, item };
    if (!call.result) return [done];
    const type = `response.mcp_call.${'output' in call.result ? 'completed' : 'failed'}`;
    return [{ type, output_index, item_id: call.id }, done];
  }

  #closeAll(events: StreamEvent[]): void {
    for (const [n, item] of this.#items.entries()) this.#close(item, n, events);
  }

  #close(item: OpenItem, output_index: number, events: StreamEvent[]): void {
    if (item.type === 'early' || item.isDone) return;
    item.isDone = true;
    const at = { item_id: item.id, output_index };
    if (item.type === 'message') {
      events.push(...this.#partDone(item, output_index, item.parts.length - 1));
    } else if (!isRequest(item)) {
      const name = item.type === 'function_call' ? { name: item.name } : {};
      const type = `response.${argumentsOf(item)}.done`;
      events.push({ type, ...at, ...name, arguments: item.json });
      if (item.type === 'mcp_call') return;
    }
    const shown = this.#shown(item, output_index);
    if (isRequest(item)) {
      events.push({ type: 'response.output_item.added', output_index, item: shown });
    }
    events.push({ type: 'response.output_item.done', output_index, item: shown });
  }

  #shown(item: OpenItem, n: number): OutputItem {
    if (item.type === 'early') return item.item;
    if (item.type === 'mcp_call') return this.#shownRemote(item);
    const isCut = n === this.#items.length - 1 && incompleteReason(this.#finishReason) !== null;
    const status: ItemStatus = !item.isDone ? 'in_progress' : isCut ? 'incomplete' : 'completed';
    if (item.type === 'message') {
      const content = item.parts.map((part) => this.#shownPart(part));
      return { id: item.id, type: 'message', role: 'assistant', status, content };
    }
    return {
      id: item.id,
      type: 'function_call',
      call_id: item.callId,
      name: item.name,
      arguments: item.json,
      status,
    };
  }

  #shownRemote(call: OpenRemoteCall): McpApprovalRequest | McpCallItem {
    const { id, tool, json, result, isDone } = call;
    const called = { id, server_label: tool.server, name: tool.name, arguments: json };
    if (isRequest(call)) return { type: 'mcp_approval_request', ...called };
    if (result) return mcpCallItem(called, result);
    const open = mcpCallItem(called, { error: '' });
    const isCut = incompleteReason(this.#finishReason) !== null;
    const status = !isDone ? 'in_progress' : isCut ? 'incomplete' : 'calling';
    return { ...open, error: null, status };
  }

  #shownPart({ kind, text, logprobs }: OpenPart): Fields {
    return kind === 'output_text'
      ? { type: kind, annotations: this.#citationsIn(text), logprobs: [...logprobs], text }
      : { type: kind, refusal: text };
  }

  #citationsIn(text: string): readonly Fields[] {
    const { search } = this.hosted;
    return search ? citationsIn(text, search) : [];
  }

  #partDone(message: OpenMessage, output_index: number, content_index: number): StreamEvent[] {
    const part = message.parts[content_index];
    if (!part) return [];
    const at = { item_id: message.id, output_index, content_index };
    const { kind, text, logprobs } = part;
    const done = { type: 'response.content_part.done', ...at, part: this.#shownPart(part) };
    if (kind === 'refusal') return [{ type: 'response.refusal.done', ...at, refusal: text }, done];
    const type = 'response.output_text.annotation.added';
    return [
      ...this.#citationsIn(text).map((annotation, annotation_index) => ({
        ...{ type, ...at, annotation_index, annotation },
      })),
      { type: 'response.output_text.done', ...at, text, logprobs: [...logprobs] },
      done,
    ];
  }
}

const isCall = (item: OpenItem): item is OpenCall | OpenRemoteCall =>
  item.type === 'function_call' || item.type === 'mcp_call';

/** Whether the call waits for the approval of the caller. */
const isRequest = (item: OpenItem): boolean => item.type === 'mcp_call' && item.tool.needsApproval;

const argumentsOf = ({ type }: OpenCall | OpenRemoteCall): string => `${type}_arguments`;

/** Why a response is incomplete; null: it is complete. */
export const incompleteReason = (
  finishReason: string | null,
): 'max_output_tokens' | 'content_filter' | null => {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content_filter' ? 'content_filter' : null;
};
