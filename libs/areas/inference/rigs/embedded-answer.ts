import { randomUUID } from 'node:crypto';
import { type Usage, usageObject } from '#platform/chats/chat-usage.js';
import { type ChatChunk, type ChatRequest, type JsonObject } from './chat-backend.js';
import { type TextDelta, type TextToken } from './text-delta.js';
import { countedPromptTokens, isObject } from './token-usage.js';

/** One answer in the shapes of the OpenAI API: its id, its chunks and its delivered pieces. */
export class EmbeddedAnswer {
  private readonly id = `chatcmpl-${randomUUID().replaceAll('-', '')}`;
  private readonly usageAsked: boolean;
  private readonly opened = new Set<number>();
  private readonly gathered = new Map<number, GatheredChoice>();
  private pieces = 0;
  /** The engine has read the prompt: its first piece has come. */
  isAccepted = false;

  /** @param created seconds since 1970 */
  constructor(
    private readonly request: ChatRequest,
    private readonly created: number,
  ) {
    const asked = request.body['stream_options'];
    this.usageAsked = isObject(asked) && asked['include_usage'] === true;
  }

  /** Whether a chunk was delivered: before that, another rig may still answer. */
  get started(): boolean {
    return this.opened.size > 0;
  }

  /** Takes a piece of an answer that is delivered as a whole. */
  gather({ choice, text, call, logprobs, finishReason }: TextDelta): void {
    this.isAccepted = true;
    const known = this.gathered.get(choice) ?? new GatheredChoice();
    this.gathered.set(choice, known);
    if (call === undefined) known.content += text;
    else known.addCall(text, call.name);
    if (logprobs) known.logprobs.push(...logprobs.map(tokenObject));
    known.finishReason = finishReason ?? known.finishReason;
  }

  /**
   * @param adapterSwapMs how long it took to put the adapter on the weights; null where it was in
   *   place. It is not part of OpenAI's shape.
   */
  completion(usage: Usage, adapterSwapMs?: number | null): JsonObject {
    const choices = [...this.gathered].toSorted(([one], [other]) => one - other);
    return {
      ...this.head('chat.completion'),
      choices: choices.map(([index, choice]) => choice.object(index, this.isRated)),
      usage: usageObject(usage),
      ...(adapterSwapMs !== undefined && { adapter_swap_ms: adapterSwapMs }),
    };
  }

  page({ choice, text, call, logprobs, finishReason }: TextDelta): readonly ChatChunk[] {
    const page = [...this.opening(choice)];
    if (call !== undefined)
      page.push(this.chunk(choice, { tool_calls: [this.callDelta(text, call)] }));
    else if (text !== '' || logprobs !== undefined) {
      page.push(this.chunk(choice, { content: text }, null, logprobs));
    }
    if (text !== '' || call !== undefined) this.pieces += 1;
    if (finishReason !== undefined) page.push(this.chunk(choice, {}, finishReason));
    return page;
  }

  usagePage(usage: Usage): readonly ChatChunk[] {
    if (!this.usageAsked) return [];
    const head = this.head('chat.completion.chunk');
    return [{ ...head, choices: [], usage: usageObject(usage) }];
  }

  /** For an engine that reports no usage: each piece has at least one token. */
  used(): Usage {
    const { body, promptTokensMax } = this.request;
    return {
      promptTokens: countedPromptTokens(body, promptTokensMax),
      completionTokens: this.pieces,
      source: 'counted',
    };
  }

  private get isRated(): boolean {
    return this.request.body['logprobs'] === true;
  }

  /** The role comes with the first piece of a choice. */
  private opening(choice: number): readonly ChatChunk[] {
    if (this.opened.has(choice)) return [];
    this.opened.add(choice);
    return [this.chunk(choice, { role: 'assistant', content: '' })];
  }

  /** There is one call at most in a choice. */
  private callDelta(text: string, { name }: { readonly name?: string }): JsonObject {
    if (name === undefined) return { index: 0, function: { arguments: text } };
    return { index: 0, id: callId(), type: 'function', function: { name, arguments: text } };
  }

  private chunk(
    index: number,
    delta: JsonObject,
    finishReason: string | null = null,
    rated?: readonly TextToken[],
  ): ChatChunk {
    const logprobs = rated ? { content: rated.map(tokenObject), refusal: null } : null;
    const choice = { index, delta, logprobs, finish_reason: finishReason };
    const head = this.head('chat.completion.chunk');
    // With `include_usage`, the field is in every chunk and null until the last.
    return this.usageAsked
      ? { ...head, choices: [choice], usage: null }
      : { ...head, choices: [choice] };
  }

  private head(object: string): JsonObject {
    return { id: this.id, object, created: this.created, model: this.request.body['model'] };
  }
}

/** One choice of an answer that is delivered as a whole. */
class GatheredChoice {
  content = '';
  finishReason = 'stop';
  readonly logprobs: JsonObject[] = [];
  private readonly calls: { readonly id: string; readonly name: string; json: string }[] = [];

  addCall(text: string, name: string | undefined): void {
    if (name !== undefined) this.calls.push({ id: callId(), name, json: '' });
    const call = this.calls.at(-1);
    if (call !== undefined) call.json += text;
  }

  object(index: number, isRated: boolean): JsonObject {
    const calls = this.calls.map(({ id, name, json }) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    }));
    const content = calls.length > 0 && this.content === '' ? null : this.content;
    const message = {
      role: 'assistant',
      content,
      refusal: null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const logprobs = isRated ? { content: this.logprobs, refusal: null } : null;
    return { index, message, logprobs, finish_reason: this.finishReason };
  }
}

const callId = (): string => `call_${randomUUID().replaceAll('-', '')}`;

const tokenObject = ({ top, ...token }: TextToken): JsonObject => ({ ...token, top_logprobs: top });
