import { type ChatChunk, type JsonObject } from '../../chat-backend.js';
import { parseObject } from '../../parsed-object.js';
import { isObject } from '../../token-usage.js';
import { type EventReader, type StreamPiece } from '../dialect.js';
import { errorEventOf } from './anthropic-errors.js';
import { mergedUsage, messageUsage } from './anthropic-usage.js';
import { finishReasonOf } from './stop-reasons.js';

const NOTHING: StreamPiece = { chunks: [] };

/** The block that is open, as far as it has come. */
interface OpenBlock {
  readonly type: unknown;
  /** The position among the calls of the answer; -1 for another block. */
  readonly call: number;
  thinking: string;
  signature: string;
  hasInput: boolean;
}

/** Reads the events of a streamed message as chunks of a chat. */
export class MessageEvents implements EventReader {
  #head: JsonObject = { object: 'chat.completion.chunk' };
  #model = '';
  #usage: JsonObject = {};
  #calls = 0;
  readonly #blocks = new Map<unknown, OpenBlock>();

  read(data: string): StreamPiece | null {
    const event = parseObject(data);
    if (!event) return null;
    switch (event['type']) {
      case 'message_start':
        return this.#start(event['message']);
      case 'content_block_start':
        return this.#open(event);
      case 'content_block_delta':
        return this.#add(event);
      case 'content_block_stop':
        return this.#close(event);
      case 'message_delta':
        return this.#end(event);
      case 'message_stop':
        return { chunks: [], isFinished: true, isEnd: true };
      case 'error':
        return { chunks: [], error: errorEventOf(event) };
      default:
        // `ping`, and events that do not exist yet.
        return typeof event['type'] === 'string' ? NOTHING : null;
    }
  }

  #start(message: unknown): StreamPiece | null {
    if (!isObject(message)) return null;
    const { id, model } = message;
    this.#model = typeof model === 'string' ? model : '';
    this.#head = {
      id,
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1e3),
      model,
    };
    this.#usage = mergedUsage({}, message['usage']);
    // The output is not made yet: its first count is of tokens that are counted as they come.
    const usage = messageUsage({ ...this.#usage, output_tokens: 0 }, this.#model);
    const chunks = [this.#chunk({ role: 'assistant', content: '' })];
    return isObject(message['usage']) && usage ? { chunks, usage } : { chunks };
  }

  #open({ index, content_block: block }: JsonObject): StreamPiece | null {
    if (!isObject(block)) return null;
    const { type, id, name } = block;
    const call = type === 'tool_use' ? this.#calls : -1;
    this.#blocks.set(index, { type, call, thinking: '', signature: '', hasInput: false });
    if (type === 'redacted_thinking') return this.#piece({ thinking_blocks: [block] });
    if (type !== 'tool_use') return NOTHING;
    this.#calls += 1;
    return this.#call(call, { id, type: 'function', function: { name, arguments: '' } });
  }

  #add({ index, delta }: JsonObject): StreamPiece | null {
    const block = this.#blocks.get(index);
    if (!isObject(delta) || !block) return null;
    const { type, text, thinking, signature, partial_json: json } = delta;
    if (type === 'text_delta' && typeof text === 'string') return this.#said({ content: text });
    if (type === 'thinking_delta' && typeof thinking === 'string') {
      block.thinking += thinking;
      return this.#said({ reasoning_content: thinking });
    }
    if (type === 'signature_delta' && typeof signature === 'string') block.signature += signature;
    if (type !== 'input_json_delta' || typeof json !== 'string') return NOTHING;
    if (json === '' || block.call < 0) return NOTHING;
    block.hasInput = true;
    return { ...this.#call(block.call, { function: { arguments: json } }), deltas: 1 };
  }

  #close({ index }: JsonObject): StreamPiece {
    const block = this.#blocks.get(index);
    this.#blocks.delete(index);
    if (block?.type === 'thinking') {
      const { thinking, signature } = block;
      return this.#piece({ thinking_blocks: [{ type: 'thinking', thinking, signature }] });
    }
    if (block === undefined || block.call < 0 || block.hasInput) return NOTHING;
    return this.#call(block.call, { function: { arguments: '{}' } });
  }

  #end({ delta, usage: stated }: JsonObject): StreamPiece | null {
    if (!isObject(delta)) return null;
    this.#usage = mergedUsage(this.#usage, stated);
    const usage = isObject(stated) ? messageUsage(this.#usage, this.#model) : null;
    const { stop_reason: reason, stop_sequence: stop } = delta;
    const isFinished = typeof reason === 'string';
    const chunks = isFinished ? [this.#chunk({}, finishReasonOf(reason), stop)] : [];
    return { chunks, isFinished, ...(usage && { usage }) };
  }

  #said(delta: JsonObject): StreamPiece {
    return { ...this.#piece(delta), deltas: Object.values(delta)[0] === '' ? 0 : 1 };
  }

  #call(index: number, call: JsonObject): StreamPiece {
    return this.#piece({ tool_calls: [{ index, ...call }] });
  }

  #piece(delta: JsonObject): StreamPiece {
    return { chunks: [this.#chunk(delta)] };
  }

  #chunk(delta: JsonObject, reason: string | null = null, stop?: unknown): ChatChunk {
    const choice = { index: 0, delta, finish_reason: reason, logprobs: null };
    const stopped = typeof stop === 'string' ? { stop_reason: stop } : {};
    return { ...this.#head, choices: [{ ...choice, ...stopped }] };
  }
}
