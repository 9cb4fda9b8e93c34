import { usageObject } from '#platform/chats/chat-usage.js';
import { type ChatAnswer, type ChatRequest, type JsonObject } from '../../chat-backend.js';
import { countedAnswer, countedPrompt } from '../../counted-usage.js';
import { parseObject } from '../../parsed-object.js';
import { isObject } from '../../token-usage.js';
import { type EventReader, type ProviderRequest, type StreamPiece } from '../dialect.js';
import { originalAnswer, originalBody, originalIn } from '../original-body.js';
import { errorChunkOf } from './openai-errors.js';
import { responseUsage, serviceTierOf } from './openai-usage.js';

/**
 * OpenAI's responses, as callers wrote them: nothing is translated to them. Their answers are read
 * as chats only as far as a charge needs it.
 */
export const responseRequest = (request: ChatRequest): ProviderRequest => {
  const original = originalIn(request, 'responses');
  if (!original) throw new Error('the request is of another dialect');
  const { body } = request;
  const limit = limitOf(body);
  const isSame = limit === undefined || limit === limitOf(original.body);
  return {
    path: '/responses',
    body: originalBody(original, {
      model: JSON.stringify(body['model']),
      ...(!isSame && { max_output_tokens: JSON.stringify(limit) }),
    }),
  };
};

const limitOf = (body: JsonObject): unknown => body['max_tokens'] ?? body['max_completion_tokens'];

/** Null for JSON that is no response. */
export const responseAnswer = (response: JsonObject, request: ChatRequest): ChatAnswer | null => {
  if (response['object'] !== 'response' || !Array.isArray(response['output'])) return null;
  const usage = usageIn(response);
  const completion = completionOf(response);
  const original = originalAnswer(request, 'responses', response);
  const read = usage
    ? { completion: { ...completion, usage: usageObject(usage) }, usage }
    : countedAnswer(completion, countedPrompt(request));
  return { ...read, ...(original !== undefined && { original }) };
};

const usageIn = (response: JsonObject) => {
  const usage = responseUsage(response['usage']);
  const serviceTier = serviceTierOf(response);
  const { output } = response;
  const searches = Array.isArray(output) ? output.filter(isSearch).length : 0;
  return (
    usage && {
      ...usage,
      ...(serviceTier !== undefined && { serviceTier }),
      ...(searches > 0 && { searches }),
    }
  );
};

const isSearch = (item: unknown): boolean => isObject(item) && item['type'] === 'web_search_call';

const completionOf = ({ id, model, created_at: created, output }: JsonObject): JsonObject => {
  const items = (output as readonly unknown[]).filter(isObject);
  const content = items.flatMap(({ content: parts }): readonly unknown[] =>
    Array.isArray(parts) ? parts : [],
  );
  const text = content.map((part) =>
    isObject(part) && typeof part['text'] === 'string' ? part['text'] : '',
  );
  const message = { role: 'assistant', content: text.join('') };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  };
};

/** Events that end a response, with its usage. */
const ENDS: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** Pieces of output, each a token at least. */
const DELTA = /^response\..+\.delta$/;

/** Reads the events of a streamed response. */
export class ResponseEvents implements EventReader {
  #head: JsonObject = { object: 'chat.completion.chunk' };

  read(data: string): StreamPiece | null {
    const event = parseObject(data);
    if (!event || typeof event['type'] !== 'string') return null;
    const { type, response, delta } = event;
    if (type === 'error') return { chunks: [], error: errorChunkOf(event['error'] ?? event) };
    if (isObject(response)) {
      const { id, model, created_at: created } = response;
      this.#head = { id, object: 'chat.completion.chunk', created, model };
    }
    if (ENDS.has(type)) return this.#end(isObject(response) ? response : {});
    const isDelta = DELTA.test(type) && typeof delta === 'string' && delta !== '';
    const content = type === 'response.output_text.delta' && isDelta ? { content: delta } : {};
    const chunk = { ...this.#head, choices: [{ index: 0, delta: content, finish_reason: null }] };
    return { chunks: [chunk], ...(isDelta && { deltas: 1 }) };
  }

  #end(response: JsonObject): StreamPiece {
    const usage = usageIn(response);
    const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }];
    return {
      chunks: [{ ...this.#head, choices }],
      isFinished: true,
      isEnd: true,
      ...(usage && { usage }),
    };
  }
}
