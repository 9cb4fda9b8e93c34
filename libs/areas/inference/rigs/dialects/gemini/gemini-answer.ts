import { randomUUID } from 'node:crypto';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatAnswer, type ChatRequest, type JsonObject } from '../../chat-backend.js';
import { parseObject } from '../../parsed-object.js';
import { isObject } from '../../token-usage.js';
import {
  answerOf,
  type Choice,
  ChunkWriter,
  type FinishReason,
  headOf,
  type Said,
  type SaidCall,
} from '../chat/completion.js';
import { type EventReader, type ProviderError, type StreamPiece } from '../dialect.js';
import { errorIn } from './gemini-errors.js';
import { logprobsIn } from './gemini-logprobs.js';
import { MADE_ID } from './gemini-request.js';
import { geminiUsage, mergedMetadata } from './gemini-usage.js';

const REASONS: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MODEL_ARMOR: 'content_filter',
};

/** The calls of the candidates of one stream so far, by the candidate's index. */
class Candidates {
  readonly #calls = new Map<number, number>();

  /** The choices of one answer or chunk. */
  choicesOf(candidates: readonly unknown[]): readonly Choice[] {
    return candidates.filter(isObject).map((candidate, n) => {
      const index = typeof candidate['index'] === 'number' ? candidate['index'] : n;
      const said = this.#saidBy(candidate['content'], index);
      const reason = candidate['finishReason'];
      const logprobs = logprobsIn(candidate);
      const finishReason = this.#reasonOf(reason, index);
      return { index, said, finishReason, ...(logprobs && { logprobs }) };
    });
  }

  #reasonOf(reason: unknown, index: number): FinishReason | null {
    if (typeof reason !== 'string') return null;
    const finished = REASONS[reason] ?? 'stop';
    return finished === 'stop' && this.#calls.has(index) ? 'tool_calls' : finished;
  }

  #saidBy(content: unknown, index: number): Said {
    const parts: readonly unknown[] =
      isObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
    const texts: string[] = [];
    const thoughts: string[] = [];
    const calls: SaidCall[] = [];
    let signature: string | undefined;
    for (const part of parts.filter(isObject)) {
      const { text, thought, functionCall, thoughtSignature: stated } = part;
      const own = typeof stated === 'string' ? stated : undefined;
      if (isObject(functionCall)) calls.push(this.#callOf(functionCall, index, own));
      else signature = own ?? signature;
      if (typeof text === 'string' && text !== '') (thought === true ? thoughts : texts).push(text);
    }
    return {
      ...(texts.length > 0 && { text: texts.join('') }),
      ...(thoughts.length > 0 && { reasoning: thoughts.join('') }),
      calls,
      signature,
    };
  }

  #callOf(functionCall: JsonObject, index: number, signature: string | undefined): SaidCall {
    const { id, name, args = {} } = functionCall;
    const at = this.#calls.get(index) ?? 0;
    this.#calls.set(index, at + 1);
    return {
      index: at,
      id: typeof id === 'string' ? id : `${MADE_ID}${randomUUID()}`,
      name: String(name),
      arguments: JSON.stringify(args),
      ...(signature !== undefined && { signature }),
    };
  }
}

/** Gemini blocks a prompt without a candidate. */
const blockedBy = ({ promptFeedback: feedback }: JsonObject): readonly Choice[] => {
  const reason = isObject(feedback) ? feedback['blockReason'] : undefined;
  if (typeof reason !== 'string') return [];
  const declined = `The provider blocked the prompt: ${reason}`;
  return [{ index: 0, said: { declined }, finishReason: 'content_filter' }];
};

const choicesIn = (answer: JsonObject, candidates: Candidates): readonly Choice[] | null => {
  const { candidates: stated, promptFeedback, usageMetadata } = answer;
  if (Array.isArray(stated)) return candidates.choicesOf(stated);
  return isObject(promptFeedback) || isObject(usageMetadata) ? blockedBy(answer) : null;
};

/** An answer that the model spoilt is an error that has a name. */
const spoiltBy = (answer: JsonObject): ProviderError | null => {
  const candidates: readonly unknown[] = Array.isArray(answer['candidates'])
    ? answer['candidates']
    : [];
  for (const candidate of candidates) {
    const { finishReason: reason, finishMessage } = isObject(candidate) ? candidate : {};
    if (typeof reason !== 'string' || Object.hasOwn(REASONS, reason)) continue;
    const message = typeof finishMessage === 'string' ? finishMessage : `Gemini stopped: ${reason}`;
    return { error: { message, code: reason.toLowerCase() }, kind: 'malformed', name: reason };
  }
  return null;
};

export const geminiFailure = (answer: JsonObject): ProviderError | null =>
  errorIn(answer) ?? spoiltBy(answer);

const headIn = (answer: JsonObject, request: ChatRequest) => {
  const { responseId: id, modelVersion: model } = answer;
  return headOf(request, {
    ...(typeof id === 'string' && { id }),
    ...(typeof model === 'string' && { model }),
  });
};

/** A whole answer. */
export const geminiAnswer = (answer: JsonObject, request: ChatRequest): ChatAnswer | null => {
  const choices = choicesIn(answer, new Candidates());
  if (!choices || choices.length === 0) return null;
  const usage = geminiUsage(answer['usageMetadata']);
  const searches = searchesIn(answer['candidates']);
  const whole = usage && { ...usage, ...(searches !== undefined && { searches }) };
  return answerOf(headIn(answer, request), choices, whole, request);
};

/** The queries that grounding sent to Google Search; undefined where there was no grounding. */
const searchesIn = (candidates: unknown): number | undefined => {
  const queries = (Array.isArray(candidates) ? (candidates as readonly unknown[]) : [])
    .map((one) => (isObject(one) ? one['groundingMetadata'] : null))
    .map((grounding) => (isObject(grounding) ? grounding['webSearchQueries'] : null))
    .filter((list): list is unknown[] => Array.isArray(list));
  return queries.length === 0 ? undefined : queries.reduce((sum, list) => sum + list.length, 0);
};

/** Reads the events of a stream, each of which is an answer with the new parts only. */
export class GeminiReader implements EventReader {
  readonly #candidates = new Candidates();
  #writer: ChunkWriter | null = null;
  #metadata: JsonObject = {};
  #searches: number | undefined;

  constructor(private readonly request: ChatRequest) {}

  read(data: string): StreamPiece | null {
    const answer = parseObject(data);
    if (!answer) return null;
    const error = geminiFailure(answer);
    if (error) return { chunks: [], error };
    const choices = choicesIn(answer, this.#candidates);
    if (!choices) return null;
    this.#writer ??= new ChunkWriter(headIn(answer, this.request));
    const piece = this.#writer.piece(choices);
    const usage = this.#usageIn(answer, piece.isFinished === true);
    return { ...piece, ...(usage && { usage, serviceTier: usage.serviceTier }) };
  }

  /** Before the candidates are counted, the deltas say more. */
  #usageIn(answer: JsonObject, isFinished: boolean): Usage | null {
    const { usageMetadata: stated } = answer;
    if (isObject(stated)) this.#metadata = mergedMetadata(this.#metadata, stated);
    this.#searches = searchesIn(answer['candidates']) ?? this.#searches;
    const { candidatesTokenCount: candidates, thoughtsTokenCount: thoughts } = this.#metadata;
    const isCounted = candidates !== undefined || thoughts !== undefined || isFinished;
    const usage = isCounted && isObject(stated) ? geminiUsage(this.#metadata) : null;
    return usage && this.#searches !== undefined ? { ...usage, searches: this.#searches } : usage;
  }
}
