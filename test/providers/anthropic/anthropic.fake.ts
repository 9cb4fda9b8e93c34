import { createHmac } from 'node:crypto';
import { type z } from 'zod';
import { PrefixCache, type PromptPiece, tokensOf } from '../prefix-cache.js';
import {
  jsonAnswer,
  jsonOf,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderServer,
  readStrictly,
  Rejection,
  startProviderServer,
} from '../provider-server.js';
import { violationOf } from './messages.rules.js';
import { COUNT_REQUEST, MESSAGES_REQUEST, type MessagesRequest } from './messages.schema.js';

type Json = Readonly<Record<string, unknown>>;

/** One answer of the model. */
export interface AnthropicReply {
  readonly content: readonly Json[];
  readonly stopReason?: string;
  readonly stopSequence?: string;
  /** Beside the counts that the fake makes. */
  readonly usage?: Json;
  readonly ending?: ProviderAnswer['ending'];
  /** Events of the stream that are sent before its `ending`; default: all. */
  readonly events?: number;
  /** Sent after these events, with status 200. */
  readonly error?: Json;
}

export interface AnthropicFake extends ProviderServer {
  /** With the version in it. */
  readonly baseUrl: string;
  /** The requests that were accepted, in order. */
  readonly accepted: readonly MessagesRequest[];
  /** Replaces the queue of answers; the last one answers all later requests. */
  reply(...replies: readonly (AnthropicReply | Rejection)[]): void;
}

export const KEY = 'sk-ant-test';
export const MODELS = ['claude-opus-5-5', 'claude-haiku-5-5'] as const;

/** Of a model; below it the documentation says that nothing is cached. */
const CACHED_TOKENS_MIN = 512;

export const anthropicError = (
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Rejection =>
  new Rejection(status, { type: 'error', error: { type, message }, request_id: 'req_1' }, headers);

const invalid = (message: string): never => {
  throw anthropicError(400, 'invalid_request_error', message);
};

const issueText = ({ path, code, message, ...rest }: z.core.$ZodIssue): string => {
  if (code === 'unrecognized_keys') {
    const { keys } = rest as { keys: readonly string[] };
    return `${[...path, keys[0] ?? ''].join('.')}: Extra inputs are not permitted`;
  }
  const isMissing = code === 'invalid_type' && /undefined|received nothing/.test(message);
  return `${path.join('.')}: ${isMissing ? 'Field required' : message}`;
};

const SEAL = 'the key of a fake';
const sealOf = (text: string): string => createHmac('sha256', SEAL).update(text).digest('base64');

/** A thought with the signature that the fake accepts back. */
export const thought = (thinking: string): Json => ({
  type: 'thinking',
  thinking,
  signature: sealOf(thinking),
});

export const redactedThought = (): Json => ({ type: 'redacted_thinking', data: sealOf('') });

const isSigned = (block: string): boolean => {
  const at = block.lastIndexOf('\n');
  return sealOf(block.slice(0, at)) === block.slice(at + 1);
};

export interface AnthropicFakeOptions {
  /** Default: one. */
  readonly keys?: readonly string[];
}

/** Anthropic's Messages API, which refuses what its documentation says it refuses. */
export const startAnthropicFake = async ({
  keys = [KEY],
}: AnthropicFakeOptions = {}): Promise<AnthropicFake> => {
  const cache = new PrefixCache(CACHED_TOKENS_MIN);
  const accepted: MessagesRequest[] = [];
  let replies: readonly (AnthropicReply | Rejection)[] = [
    { content: [{ type: 'text', text: 'Knots.' }] },
  ];
  const next = (): AnthropicReply | Rejection => {
    const [first, ...rest] = replies;
    if (!first) throw new Error('the fake has no answer');
    if (rest.length > 0) replies = rest;
    return first;
  };

  const create = (request: ProviderRequest): ProviderAnswer => {
    const asked = readStrictly(MESSAGES_REQUEST, bodyOf(request), (issue) =>
      invalid(issueText(issue)),
    );
    check(asked, request);
    const reply = next();
    if (reply instanceof Rejection) throw reply;
    accepted.push(asked);
    const counts = cache.count(keyOf(request), piecesOf(asked));
    const { fresh, read, written5m, written1h } = counts;
    const output = reply.content.reduce((sum, block) => sum + tokensOf(JSON.stringify(block)), 0);
    const usage = {
      input_tokens: fresh,
      cache_creation_input_tokens: written5m + written1h,
      cache_read_input_tokens: read,
      cache_creation: {
        ephemeral_5m_input_tokens: written5m,
        ephemeral_1h_input_tokens: written1h,
      },
      output_tokens: output,
      service_tier: 'standard',
      ...reply.usage,
    };
    const message = messageOf(asked.model, reply, usage);
    return asked.stream === true ? streamOf(message, reply) : jsonAnswer(message, 200, HEADERS);
  };

  const count = (request: ProviderRequest): ProviderAnswer => {
    const asked = readStrictly(COUNT_REQUEST, bodyOf(request), (issue) =>
      invalid(issueText(issue)),
    );
    check({ ...asked, max_tokens: 1_000_000 }, request);
    const pieces = piecesOf({ ...asked, max_tokens: 1 });
    return jsonAnswer({ input_tokens: pieces.reduce((sum, { text }) => sum + tokensOf(text), 0) });
  };

  const server = await startProviderServer((request) => {
    authenticate(request, keys);
    const { method, path } = request;
    if (method === 'GET' && path === '/v1/models') return jsonAnswer({ data: MODELS.map(listed) });
    if (method === 'POST' && path === '/v1/messages') return create(request);
    if (method === 'POST' && path === '/v1/messages/count_tokens') return count(request);
    throw anthropicError(404, 'not_found_error', `Not found: ${method} ${path}`);
  });
  return {
    ...server,
    baseUrl: `${server.url}/v1`,
    accepted,
    reply: (...more) => {
      replies = more;
    },
  };
};

const HEADERS = { 'request-id': 'req_1' } as const;

const listed = (id: string): Json => ({ type: 'model', id, display_name: id });

const keyOf = ({ headers }: ProviderRequest): string => {
  const { 'x-api-key': key, authorization = '' } = headers;
  return typeof key === 'string' ? key : authorization.replace(/^Bearer /, '');
};

const authenticate = (request: ProviderRequest, keys: readonly string[]): void => {
  const key = keyOf(request);
  if (key === '') throw anthropicError(401, 'authentication_error', 'x-api-key header is required');
  if (!keys.includes(key)) throw anthropicError(401, 'authentication_error', 'invalid x-api-key');
  const { 'anthropic-version': version } = request.headers;
  if (version === undefined) invalid('anthropic-version: header is required');
  if (version !== '2023-06-01' && version !== '2026-10-21') {
    invalid(`anthropic-version: "${String(version)}" is not a valid version`);
  }
};

const bodyOf = (request: ProviderRequest): unknown => {
  if (request.headers['content-type'] !== 'application/json')
    invalid('content-type: application/json');
  return jsonOf(request, (message) => invalid(message));
};

const check = (asked: MessagesRequest, { headers }: ProviderRequest): void => {
  if (!MODELS.some((model) => model === asked.model)) {
    throw anthropicError(404, 'not_found_error', `model: ${asked.model}`);
  }
  const betas = String(headers['anthropic-beta'] ?? '').split(',');
  const version = String(headers['anthropic-version']);
  const fault = violationOf(asked, { version, betas }, isSigned);
  if (fault !== null) invalid(fault);
};

/** The prompt in the order in which it is cached: tools, system, messages. */
const piecesOf = ({ tools = [], system = [], messages }: MessagesRequest): PromptPiece[] => {
  const instructions = typeof system === 'string' ? [{ type: 'text', text: system }] : system;
  const turns = messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) => ({
      role,
      ...block,
    })),
  );
  return [...tools, ...instructions, ...turns].map((piece: Json) => {
    const { cache_control: mark, ...rest } = piece;
    const { ttl = '5m' } = (mark ?? {}) as { readonly ttl?: '5m' | '1h' };
    return { text: JSON.stringify(rest), keep: mark ? ttl : undefined };
  });
};

const messageOf = (model: string, reply: AnthropicReply, usage: Json): Json => ({
  id: 'msg_fake1',
  type: 'message',
  role: 'assistant',
  model,
  content: reply.content,
  stop_reason: reply.stopReason ?? 'end_turn',
  stop_sequence: reply.stopSequence ?? null,
  usage,
});

const eventOf = (type: string, fields: Json): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const streamOf = (message: Json, reply: AnthropicReply): ProviderAnswer => {
  const all = eventsOf(message, reply);
  const sent = all.slice(0, reply.events ?? all.length);
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...HEADERS },
    pieces: reply.error ? [...sent, eventOf('error', { error: reply.error })] : sent,
    ...(reply.ending && { ending: reply.ending }),
  };
};

const eventsOf = (message: Json, reply: AnthropicReply): string[] => {
  const { usage, stop_reason, stop_sequence } = message;
  const counted = usage as Json;
  const { cache_creation: _split, ...rest } = counted;
  const empty = { ...message, content: [], stop_reason: null, stop_sequence: null };
  return [
    eventOf('message_start', { message: { ...empty, usage: { ...counted, output_tokens: 1 } } }),
    ...reply.content.flatMap((block, index) => [
      ...blockEvents(block, index),
      ...(index === 0 ? [eventOf('ping', {})] : []),
    ]),
    // Since 2025 it states the input again, without the lives of writes.
    eventOf('message_delta', { delta: { stop_reason, stop_sequence }, usage: rest }),
    eventOf('message_stop', {}),
  ];
};

const halvesOf = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
};

const blockEvents = (block: Json, index: number): readonly string[] => {
  const begin = (content_block: Json): string =>
    eventOf('content_block_start', { index, content_block });
  const delta = (fields: Json): string => eventOf('content_block_delta', { index, delta: fields });
  const end = eventOf('content_block_stop', { index });
  switch (block['type']) {
    case 'text':
      return [
        begin({ ...block, text: '' }),
        ...halvesOf(String(block['text'])).map((text) => delta({ type: 'text_delta', text })),
        end,
      ];
    case 'thinking':
      return [
        begin({ type: 'thinking', thinking: '', signature: '' }),
        ...halvesOf(String(block['thinking'])).map((thinking) =>
          delta({ type: 'thinking_delta', thinking }),
        ),
        delta({ type: 'signature_delta', signature: block['signature'] }),
        end,
      ];
    case 'tool_use': {
      const { input, ...head } = block;
      const json = Object.keys(input as Json).length === 0 ? [''] : halvesOf(JSON.stringify(input));
      return [
        begin({ ...head, input: {} }),
        ...json.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
        end,
      ];
    }
    default:
      return [begin(block), end];
  }
};
