import { type ChatAnswer, type ChatRequest, type JsonObject } from '../../chat-backend.js';
import { countedAnswer, countedPrompt } from '../../counted-usage.js';
import { parseObject } from '../../parsed-object.js';
import { deltasOf, isObject } from '../../token-usage.js';
import {
  type Dialect,
  type EventReader,
  type ProviderRequest,
  type StreamPiece,
} from '../dialect.js';
import { changesBetween, originalBody, originalIn, readerFor } from '../original-body.js';
import { responseAnswer, ResponseEvents, responseRequest } from './responses.dialect.js';
import { errorChunkOf, openAiErrors } from './openai-errors.js';
import { serviceTierOf, statedUsage } from './openai-usage.js';

export interface OpenAiDialectOptions {
  /** The server knows no `max_completion_tokens`: the bound is sent as `max_tokens`, too. */
  readonly readsMaxTokensOnly?: boolean;
  /** The server answers responses: the original body of one is sent as it is. */
  readonly hasResponses?: boolean;
}

/** OpenAI's chat completions, and servers that speak them: requests and answers pass unchanged. */
export const openAiDialect = ({
  readsMaxTokensOnly,
  hasResponses = false,
}: OpenAiDialectOptions = {}): Dialect => ({
  chat: (request, isStream) => {
    if (hasResponses && originalIn(request, 'responses')) return responseRequest(request);
    const body = readsMaxTokensOnly ? withMaxTokens(request.body) : request.body;
    const set = isStream ? streamFields(body) : WHOLE;
    const original = originalIn(request, 'chat');
    if (!original) return requestTo('/chat/completions', { ...body, ...set });
    const changes = changesBetween(original.body, body, set);
    return { path: '/chat/completions', body: originalBody(original, changes) };
  },
  answer: (answer, request) =>
    hasResponses && originalIn(request, 'responses')
      ? responseAnswer(answer, request)
      : answerIn(answer, request),
  reader: (request) =>
    hasResponses && originalIn(request, 'responses')
      ? readerFor(request, 'responses', 'response', new ResponseEvents())
      : new ChunkReader(asksForUsage(request)),
  errors: openAiErrors,
  embeddings: ({ body }) => requestTo('/embeddings', body),
  scoring: ({ task, body }) => requestTo(task === 'rerank' ? '/rerank' : '/moderations', body),
});

const requestTo = (path: string, body: JsonObject): ProviderRequest => ({
  path,
  body: JSON.stringify(body),
});

const withMaxTokens = (body: JsonObject): JsonObject => ({
  ...body,
  max_tokens: body['max_tokens'] ?? body['max_completion_tokens'],
});

/** OpenAI rejects `stream_options` without `stream`. */
const WHOLE: JsonObject = { stream: false, stream_options: undefined };

/** Usage is always requested: a stream without it can only be counted. */
const streamFields = ({ stream_options: asked }: JsonObject): JsonObject => ({
  stream: true,
  stream_options: isObject(asked) ? { ...asked, include_usage: true } : { include_usage: true },
});

export const asksForUsage = ({ body }: ChatRequest): boolean =>
  isObject(body['stream_options']) && body['stream_options']['include_usage'] === true;

const answerIn = (completion: JsonObject, request: ChatRequest): ChatAnswer | null => {
  if (!Array.isArray(completion['choices'])) return null;
  const stated = statedUsage(completion['usage']);
  const serviceTier = serviceTierOf(completion);
  if (stated) return { completion, usage: serviceTier ? { ...stated, serviceTier } : stated };
  return countedAnswer(completion, countedPrompt(request));
};

const DONE: StreamPiece = { chunks: [], isEnd: true };

class ChunkReader implements EventReader {
  constructor(private readonly usageAsked: boolean) {}

  read(data: string): StreamPiece | null {
    if (data === '[DONE]') return DONE;
    const chunk = parseObject(data);
    if (!chunk) return null;
    const { error = null, choices } = chunk;
    if (error !== null) return { chunks: [], error: errorChunkOf(error) };
    return Array.isArray(choices) ? this.#piece(chunk, choices) : null;
  }

  #piece(chunk: JsonObject, choices: readonly unknown[]): StreamPiece {
    const piece = {
      deltas: deltasOf(choices),
      serviceTier: serviceTierOf(chunk),
      isFinished: choices.some(hasFinishReason),
    };
    if (!('usage' in chunk)) return { ...piece, chunks: [chunk] };
    const stated = statedUsage(chunk['usage']);
    const chunks = this.#shown(chunk, choices, stated !== null);
    return stated ? { ...piece, deltas: 0, chunks, usage: stated } : { ...piece, chunks };
  }

  /** A usage that was not requested, or is not valid, is removed. */
  #shown(chunk: JsonObject, choices: readonly unknown[], isStated: boolean): readonly JsonObject[] {
    const { usage, ...rest } = chunk;
    if (this.usageAsked && (isStated || usage === null)) return [chunk];
    return choices.length > 0 || usage === null ? [rest] : [];
  }
}

const hasFinishReason = (choice: unknown): boolean =>
  isObject(choice) && typeof choice['finish_reason'] === 'string';
