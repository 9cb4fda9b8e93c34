import { type ChatAnswer, type ChatRequest, type JsonObject } from '../../chat-backend.js';
import { parseObject } from '../../parsed-object.js';
import { isObject } from '../../token-usage.js';
import {
  answerOf,
  ChunkWriter,
  type FinishReason,
  headOf,
  type Said,
  type SaidCall,
} from '../chat/completion.js';
import { type EventReader, type ProviderError, type StreamPiece } from '../dialect.js';
import { exceptionOf } from './bedrock-errors.js';
import { converseTier, converseUsage } from './converse-usage.js';

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
  refusal: 'content_filter',
};

/** What the model spoilt is an error that has a name. */
const SPOILT: ReadonlySet<unknown> = new Set(['malformed_model_output', 'malformed_tool_use']);

const spoiltBy = (reason: unknown): ProviderError | null =>
  typeof reason === 'string' && SPOILT.has(reason)
    ? {
        error: { message: `Bedrock stopped: ${reason}`, code: reason },
        kind: 'malformed',
        name: reason,
      }
    : null;

const finishReasonOf = (reason: unknown): FinishReason =>
  (typeof reason === 'string' ? REASONS[reason] : undefined) ?? 'stop';

export const converseFailure = ({ stopReason }: JsonObject): ProviderError | null =>
  spoiltBy(stopReason);

/** A thought in the shape of Claude's own interface. */
const thinkingBlock = (text: string, signature: string): JsonObject => ({
  type: 'thinking',
  thinking: text,
  signature,
});

const redactedBlock = (data: string): JsonObject => ({ type: 'redacted_thinking', data });

/** A whole answer. */
export const converseAnswer = (answer: JsonObject, request: ChatRequest): ChatAnswer | null => {
  const output = isObject(answer['output']) ? answer['output'] : {};
  const content = isObject(output['message']) ? output['message']['content'] : null;
  if (!Array.isArray(content)) return null;
  const said = saidBy(content.filter(isObject));
  const finishReason = finishReasonOf(answer['stopReason']);
  const source = { model: String(request.body['model']), isStream: false };
  const usage = converseUsage(answer['usage'], source);
  const serviceTier = converseTier(answer);
  const whole = usage && { ...usage, ...(serviceTier !== undefined && { serviceTier }) };
  return answerOf(headOf(request), [{ index: 0, said, finishReason }], whole, request);
};

const saidBy = (blocks: readonly JsonObject[]): Said => {
  const [texts, reasoning]: [string[], string[]] = [[], []];
  const calls: SaidCall[] = [];
  const thoughts: JsonObject[] = [];
  for (const { text, toolUse, reasoningContent } of blocks) {
    if (typeof text === 'string') texts.push(text);
    if (isObject(toolUse)) calls.push(callOf(toolUse, calls.length));
    if (!isObject(reasoningContent)) continue;
    const { reasoningText, redactedContent } = reasoningContent;
    if (typeof redactedContent === 'string') thoughts.push(redactedBlock(redactedContent));
    const { text: thought, signature } = isObject(reasoningText) ? reasoningText : {};
    if (typeof thought !== 'string') continue;
    reasoning.push(thought);
    if (typeof signature === 'string') thoughts.push(thinkingBlock(thought, signature));
  }
  return {
    ...(texts.length > 0 && { text: texts.join('') }),
    ...(reasoning.length > 0 && { reasoning: reasoning.join('') }),
    calls,
    thoughts,
  };
};

const callOf = ({ toolUseId, name, input }: JsonObject, index: number): SaidCall => ({
  index,
  id: String(toolUseId),
  name: String(name),
  arguments: JSON.stringify(input ?? {}),
});

/** A block of a stream that is not over. */
interface OpenBlock {
  readonly call: number | null;
  thought: string;
  signature: string;
  hasInput: boolean;
}

const NOTHING: StreamPiece = { chunks: [] };

/** Reads the events of ConverseStream; its usage comes last. */
export class ConverseReader implements EventReader {
  readonly #writer: ChunkWriter;
  readonly #model: string;
  readonly #blocks = new Map<unknown, OpenBlock>();
  #calls = 0;

  constructor(request: ChatRequest) {
    this.#writer = new ChunkWriter(headOf(request));
    this.#model = String(request.body['model']);
  }

  read(data: string, name: string | undefined): StreamPiece | null {
    const event = parseObject(data);
    if (!event || name === undefined) return null;
    if (name.startsWith('!')) return { chunks: [], error: exceptionOf(name.slice(1), event) };
    switch (name) {
      case 'messageStart':
        return this.#said({});
      case 'contentBlockStart':
        return this.#start(event);
      case 'contentBlockDelta':
        return this.#delta(event);
      case 'contentBlockStop':
        return this.#stop(event);
      case 'messageStop':
        return this.#end(event['stopReason']);
      case 'metadata':
        return this.#metadata(event);
    }
    // Events that do not exist yet say nothing that a chat has a field for.
    return NOTHING;
  }

  #said(said: Said): StreamPiece {
    return this.#writer.piece([{ index: 0, said, finishReason: null }]);
  }

  #start({ contentBlockIndex, start }: JsonObject): StreamPiece {
    const toolUse = isObject(start) ? start['toolUse'] : null;
    const block = this.#blockAt(contentBlockIndex, isObject(toolUse));
    if (!isObject(toolUse) || block.call === null) return NOTHING;
    const { toolUseId, name } = toolUse;
    const call = { index: block.call, id: String(toolUseId), name: String(name), arguments: '' };
    return this.#said({ calls: [call] });
  }

  #delta({ contentBlockIndex, delta }: JsonObject): StreamPiece | null {
    if (!isObject(delta)) return null;
    const { text, toolUse, reasoningContent } = delta;
    const block = this.#blockAt(contentBlockIndex, false);
    if (typeof text === 'string') return this.#said({ text });
    if (isObject(toolUse) && block.call !== null) {
      const { input } = toolUse;
      block.hasInput ||= input !== '';
      return this.#said({ calls: [{ index: block.call, arguments: String(input) }] });
    }
    return isObject(reasoningContent) ? this.#thought(reasoningContent, block) : NOTHING;
  }

  #thought({ text, signature, redactedContent }: JsonObject, block: OpenBlock): StreamPiece {
    if (typeof redactedContent === 'string') {
      return this.#said({ thoughts: [redactedBlock(redactedContent)] });
    }
    if (typeof signature === 'string') block.signature += signature;
    if (typeof text !== 'string') return NOTHING;
    block.thought += text;
    return this.#said({ reasoning: text });
  }

  /** A thought is given out whole, so that a client keeps it as it is. */
  #stop({ contentBlockIndex }: JsonObject): StreamPiece {
    const block = this.#blocks.get(contentBlockIndex);
    this.#blocks.delete(contentBlockIndex);
    if (!block) return NOTHING;
    if (block.signature !== '') {
      return this.#said({ thoughts: [thinkingBlock(block.thought, block.signature)] });
    }
    // A tool without parameters is called without a piece of input.
    if (block.call === null || block.hasInput) return NOTHING;
    return this.#said({ calls: [{ index: block.call, arguments: '{}' }] });
  }

  #end(reason: unknown): StreamPiece {
    const error = spoiltBy(reason);
    if (error) return { chunks: [], error };
    return this.#writer.piece([{ index: 0, said: {}, finishReason: finishReasonOf(reason) }]);
  }

  #metadata(event: JsonObject): StreamPiece {
    const usage = converseUsage(event['usage'], { model: this.#model, isStream: true });
    const serviceTier = converseTier(event);
    return { chunks: [], ...(usage && { usage }), serviceTier, isEnd: true };
  }

  #blockAt(index: unknown, isCall: boolean): OpenBlock {
    const known = this.#blocks.get(index);
    if (known) return known;
    const call = isCall ? this.#calls++ : null;
    const block = { call, thought: '', signature: '', hasInput: false };
    this.#blocks.set(index, block);
    return block;
  }
}
