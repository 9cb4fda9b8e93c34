import { type Fields, type ReadChoice, type ReadToolCall } from '#platform/chats/read-answer.js';
import {
  citationsIn,
  type FileSearch,
  type FileSearchItem,
  fileSearchItem,
} from './file-search.js';
import { type FunctionCallItem, type ItemStatus, type MessageItem } from './input-items.js';

/** An event of a stream, without its number. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type OutputItem = MessageItem | FunctionCallItem | FileSearchItem;

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

interface EndedSearch {
  readonly type: 'file_search_call';
  readonly item: FileSearchItem;
  readonly isDone: true;
}

type OpenItem = OpenMessage | OpenCall | EndedSearch;

/**
 * Makes the output items of a response from the answer of a chat, as a whole or in pieces, with the
 * events that announce them. Pieces and the whole make the same items.
 */
export class OutputItems {
  readonly #items: OpenItem[] = [];
  #finishReason: string | null = null;

  /**
   * @param key the seed of the ids of the items
   * @param search the first item, where files were searched
   */
  constructor(
    private readonly key: string,
    private readonly search: FileSearch | null = null,
  ) {
    if (!search) return;
    const item = fileSearchItem(`fs_${key}0`, search);
    this.#items.push({ type: 'file_search_call', item, isDone: true });
  }

  get finishReason(): string | null {
    return this.#finishReason;
  }

  /** Announces the search, which was made before the answer. */
  begin(): StreamEvent[] {
    return this.#items.flatMap((open, output_index) => {
      if (open.type !== 'file_search_call') return [];
      const { item } = open;
      const at = { output_index, item_id: item.id };
      const added = { ...item, status: 'in_progress', results: null };
      return [
        { type: 'response.output_item.added', output_index, item: added },
        { type: 'response.file_search_call.in_progress', ...at },
        { type: 'response.file_search_call.searching', ...at },
        { type: 'response.file_search_call.completed', ...at },
        { type: 'response.output_item.done', output_index, item },
      ];
    });
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
    if (this.#items.every(({ type }) => type === 'file_search_call'))
      this.#openMessage('output_text', events);
    this.#closeAll(events);
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
      (item) => item.type === 'function_call' && !item.isDone && item.position === index,
    );
    if (n === -1) {
      n = this.#items.length;
      const last = this.#items.at(-1);
      if (last?.type === 'message') this.#close(last, n - 1, events);
      const callId = id === '' ? `call_${this.key}${n}` : id;
      const opened = { type: 'function_call', id: `fc_${this.key}${n}`, position: index } as const;
      const call: OpenCall = { ...opened, callId, name, json: '', isDone: false };
      this.#items.push(call);
      const item = this.#shown(call, n);
      events.push({ type: 'response.output_item.added', output_index: n, item });
    } else {
      const known = this.#items[n];
      if (known?.type === 'function_call' && known.name === '') known.name = name;
    }
    const item = this.#items[n];
    if (item?.type !== 'function_call' || json === '') return;
    item.json += json;
    const at = { item_id: item.id, output_index: n };
    events.push({ type: 'response.function_call_arguments.delta', ...at, delta: json });
  }

  #closeAll(events: StreamEvent[]): void {
    for (const [n, item] of this.#items.entries()) this.#close(item, n, events);
  }

  #close(item: OpenItem, output_index: number, events: StreamEvent[]): void {
    if (item.type === 'file_search_call' || item.isDone) return;
    item.isDone = true;
    if (item.type === 'message') {
      events.push(...this.#partDone(item, output_index, item.parts.length - 1));
    } else {
      const at = { item_id: item.id, output_index };
      const type = 'response.function_call_arguments.done';
      events.push({ type, ...at, name: item.name, arguments: item.json });
    }
    const shown = this.#shown(item, output_index);
    events.push({ type: 'response.output_item.done', output_index, item: shown });
  }

  #shown(item: OpenItem, n: number): OutputItem {
    if (item.type === 'file_search_call') return item.item;
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

  #shownPart({ kind, text, logprobs }: OpenPart): Fields {
    return kind === 'output_text'
      ? { type: kind, annotations: this.#citationsIn(text), logprobs: [...logprobs], text }
      : { type: kind, refusal: text };
  }

  #citationsIn(text: string): readonly Fields[] {
    return this.search ? citationsIn(text, this.search) : [];
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

/** Why a response is incomplete; null: it is complete. */
export const incompleteReason = (
  finishReason: string | null,
): 'max_output_tokens' | 'content_filter' | null => {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content_filter' ? 'content_filter' : null;
};
