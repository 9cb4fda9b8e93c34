import { type ReadChoice, type ReadToolCall } from '#platform/chats/read-answer.js';
import { namedEvent } from '../sse/sse.js';

/**
 * Writes the pieces of an answer as the content blocks of a stream, one after another: the text,
 * then the first call, as they come. Pieces of further calls may come in between the pieces of the
 * first, and wait for the end; so does a text after a call.
 */
export class BlockEvents {
  /** The open block: the text, or the call at this position of the answer. */
  #open: 'text' | number | null = null;
  #index = -1;
  readonly #waiting = new Map<number, ReadToolCall>();
  #lateText = '';

  /** @param key what the ids of calls are made of that have none */
  constructor(private readonly key: string) {}

  add({ text, declined, toolCalls }: ReadChoice): string {
    const said = `${text}${declined}`;
    const calls = toolCalls.map((call) => this.#call(call)).join('');
    return `${said === '' ? '' : this.#say(said)}${calls}`;
  }

  /** Writes what has waited, and closes the last block. */
  end(): string {
    const waited = [...this.#waiting.values()].sort((one, other) => one.index - other.index);
    const calls = waited.map((call) => this.#start(call)).join('');
    const late = this.#lateText === '' ? '' : `${this.#stop()}${this.#say(this.#lateText)}`;
    return `${calls}${late}${this.#stop()}`;
  }

  #say(text: string): string {
    if (typeof this.#open === 'number') {
      this.#lateText += text;
      return '';
    }
    const block = { type: 'text', text: '', citations: null };
    const start = this.#open === 'text' ? '' : this.#begin('text', block);
    return `${start}${this.#delta({ type: 'text_delta', text })}`;
  }

  #call(call: ReadToolCall): string {
    if (typeof this.#open !== 'number') return this.#start(call);
    if (this.#open === call.index) return this.#more(call);
    const before = this.#waiting.get(call.index);
    const json = `${before?.arguments ?? ''}${call.arguments}`;
    this.#waiting.set(call.index, { ...(before ?? call), arguments: json });
    return '';
  }

  #start(call: ReadToolCall): string {
    const { index, id, name } = call;
    const known = id === '' ? `toolu_${this.key}${index}` : id;
    const block = { type: 'tool_use', id: known, name, input: {} };
    return `${this.#begin(index, block)}${this.#more(call)}`;
  }

  #more({ arguments: json }: ReadToolCall): string {
    return json === '' ? '' : this.#delta({ type: 'input_json_delta', partial_json: json });
  }

  #begin(open: 'text' | number, content_block: object): string {
    const stop = this.#stop();
    this.#open = open;
    this.#index += 1;
    return `${stop}${this.#event('content_block_start', { content_block })}`;
  }

  #delta(delta: object): string {
    return this.#event('content_block_delta', { delta });
  }

  #stop(): string {
    if (this.#open === null) return '';
    this.#open = null;
    return this.#event('content_block_stop', {});
  }

  #event(type: string, fields: object): string {
    return namedEvent(type, null, { type, index: this.#index, ...fields });
  }
}
