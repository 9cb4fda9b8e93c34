import { type Usage } from '#platform/chats/chat-usage.js';
import { type JsonObject } from './chat-backend.js';
import {
  dimensionsOf,
  type EmbeddingAnswer,
  type EmbeddingRequest,
  type RigVector,
} from './embedding-backend.js';
import { isObject, isTokenCount, tokensOfBytes } from './token-usage.js';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const isVector = (value: unknown): value is RigVector =>
  typeof value === 'string'
    ? BASE64.test(value) && value.length % 4 === 0 && Number.isInteger(dimensionsOf(value))
    : Array.isArray(value) && value.length > 0 && value.every((one) => Number.isFinite(one));

/** Null unless there is one vector for each input, all of one length. */
const vectorsIn = (data: unknown, inputs: number): readonly RigVector[] | null => {
  if (!Array.isArray(data) || data.length !== inputs) return null;
  const vectors = new Map<number, RigVector>();
  for (const [at, one] of data.entries()) {
    if (!isObject(one)) return null;
    const { index = at, embedding } = one;
    if (!Number.isInteger(index) || !isVector(embedding)) return null;
    vectors.set(index as number, embedding);
  }
  const ordered = Array.from({ length: inputs }, (_, at) => vectors.get(at));
  const [first] = ordered;
  if (first === undefined) return null;
  const isWhole = ordered.every(
    (vector) => vector !== undefined && dimensionsOf(vector) === dimensionsOf(first),
  );
  return isWhole ? (ordered as readonly RigVector[]) : null;
};

/** The least tokens of a request for an upstream that states none, never above the bound. */
export const countedInputTokens = ({ body, promptTokensMax }: EmbeddingRequest): Usage => {
  const tokens = body.input.reduce(
    (sum, input) =>
      sum + (typeof input === 'string' ? tokensOfBytes(Buffer.byteLength(input)) : input.length),
    0,
  );
  return {
    promptTokens: Math.min(tokens, promptTokensMax),
    completionTokens: 0,
    source: 'counted',
  };
};

const statedUsageOf = (usage: unknown): Usage | null => {
  const tokens = isObject(usage) ? usage['prompt_tokens'] : undefined;
  if (!isTokenCount(tokens)) return null;
  return { promptTokens: tokens, completionTokens: 0, source: 'provider' };
};

/** Null for JSON that is not the embeddings of this request. */
export const embeddingAnswerIn = (
  answer: JsonObject,
  request: EmbeddingRequest,
): EmbeddingAnswer | null => {
  const vectors = vectorsIn(answer['data'], request.body.input.length);
  if (!vectors) return null;
  const { model, usage } = answer;
  return {
    vectors,
    modelAnswered: typeof model === 'string' && model !== '' ? model : null,
    usage: statedUsageOf(usage) ?? countedInputTokens(request),
  };
};
