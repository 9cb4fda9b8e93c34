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
import { embeddingsOf, moderation, MODERATIONS_REQUEST } from './inputs.fake.js';
import {
  CHAT_REQUEST,
  type ChatRequest,
  EMBEDDINGS_REQUEST,
  RESPONSES_REQUEST,
  type ResponsesRequest,
} from './chat.schema.js';

type Json = Readonly<Record<string, unknown>>;

/** One answer of the model. */
export interface OpenAiReply {
  readonly message: Json;
  readonly finishReason?: string;
  readonly ending?: ProviderAnswer['ending'];
  /** Events of the stream that are sent before its `ending`; default: all. */
  readonly events?: number;
  /** Fields beside the documented ones, which a provider may add at any time. */
  readonly more?: Json;
}

export interface OpenAiFake extends ProviderServer {
  /** With the version in it. */
  readonly baseUrl: string;
  /** The chats that were accepted, in order. */
  readonly accepted: readonly ChatRequest[];
  /** The responses that were accepted, in order. */
  readonly responses: readonly ResponsesRequest[];
  /** Replaces the queue of answers; the last one answers all later requests. */
  reply(...replies: readonly (OpenAiReply | Rejection)[]): void;
}

/** How a request is recognised, and where the interface is. */
export interface OpenAiFakeOptions {
  /** Default: the keys of OpenAI, as bearers. @throws Rejection */
  readonly authenticate?: (request: ProviderRequest) => string;
  /**
   * Finds the operation and the model of a request. Default: OpenAI's paths, the model of the body.
   * @throws Rejection
   */
  readonly locate?: (request: ProviderRequest) => Located;
  /** Sent before the first chunk of a stream. */
  readonly preamble?: Json;
}

interface Located {
  /** Such as `/chat/completions`. */
  readonly operation: string;
  /** Undefined: the body names it. */
  readonly model?: string;
}

export const KEY = 'sk-test';
/** The first refuses temperatures and `max_tokens`, as models that reason do. */
export const MODELS = [
  'gpt-6-sol',
  'gpt-4.1',
  'text-embedding-3-small',
  'omni-moderation-latest',
] as const;
const REASONING_MODEL = 'gpt-6-sol';
/** Below it nothing is cached; above it, in steps. */
const CACHED_TOKENS_MIN = 1_024;
const CACHED_TOKENS_STEP = 128;

export const openAiError = (
  status: number,
  code: string | null,
  message: string,
  more: { readonly param?: string; readonly type?: string; readonly innererror?: Json } = {},
  headers: Readonly<Record<string, string>> = {},
): Rejection => {
  const { param = null, type = 'invalid_request_error', ...rest } = more;
  return new Rejection(status, { error: { message, type, param, code, ...rest } }, headers);
};

const rejectIssue = ({ path, code, message, ...rest }: z.core.$ZodIssue): never => {
  const [unknown] = code === 'unrecognized_keys' ? (rest as { keys: readonly string[] }).keys : [];
  const param = [...path, ...(unknown === undefined ? [] : [unknown])].join('.');
  throw unknown === undefined
    ? openAiError(400, 'invalid_value', `Invalid value for '${param}': ${message}`, { param })
    : openAiError(400, 'unknown_parameter', `Unknown parameter: '${param}'.`, { param });
};

/** OpenAI's API, which refuses what its documentation says it refuses. */
export const startOpenAiFake = async ({
  authenticate = bearerOf,
  locate = openAiPath,
  preamble,
}: OpenAiFakeOptions = {}): Promise<OpenAiFake> => {
  const cache = new PrefixCache(CACHED_TOKENS_MIN);
  const accepted: ChatRequest[] = [];
  const responses: ResponsesRequest[] = [];
  let replies: readonly (OpenAiReply | Rejection)[] = [{ message: { content: 'Knots.' } }];
  const next = (): OpenAiReply => {
    const [first, ...rest] = replies;
    if (!first) throw new Error('the fake has no answer');
    if (rest.length > 0) replies = rest;
    if (first instanceof Rejection) throw first;
    return first;
  };
  const usageOf = (owner: string, pieces: readonly PromptPiece[], reply: OpenAiReply): Counts => {
    const { fresh, read } = cache.count(owner, pieces);
    const cached = Math.floor(read / CACHED_TOKENS_STEP) * CACHED_TOKENS_STEP;
    return { input: fresh + read, cached, output: tokensOf(JSON.stringify(reply.message)) };
  };

  const chat = (request: ProviderRequest, owner: string, located?: string): ProviderAnswer => {
    const asked = readStrictly(CHAT_REQUEST, bodyOf(request), rejectIssue);
    const model = knownModel(located ?? asked.model);
    rejectChat(asked, model);
    const reply = next();
    accepted.push(asked);
    const pieces = [...(asked.tools ?? []), ...asked.messages].map(keptPiece);
    const counts = usageOf(owner, pieces, reply);
    return asked.stream === true
      ? chatStream(asked, model, reply, counts, preamble)
      : jsonAnswer(completionOf(model, reply, counts), 200, HEADERS);
  };

  const respond = (request: ProviderRequest, owner: string): ProviderAnswer => {
    const asked = readStrictly(RESPONSES_REQUEST, bodyOf(request), rejectIssue);
    const model = knownModel(asked.model);
    const reply = next();
    responses.push(asked);
    const input = typeof asked.input === 'string' ? [{ content: asked.input }] : asked.input;
    const instructions = asked.instructions ? [{ instructions: asked.instructions }] : [];
    const pieces = [...(asked.tools ?? []), ...instructions, ...input].map(keptPiece);
    const response = responseOf(model, reply, usageOf(owner, pieces, reply));
    return asked.stream === true ? responseStream(response, reply) : jsonAnswer(response);
  };

  const server = await startProviderServer((request) => {
    const owner = authenticate(request);
    const { operation, model } = locate(request);
    if (request.method === 'GET' && operation === '/models') {
      return jsonAnswer({ object: 'list', data: MODELS.map((id) => ({ id, object: 'model' })) });
    }
    if (operation === '/chat/completions') return chat(request, owner, model);
    if (operation === '/responses') return respond(request, owner);
    if (operation === '/embeddings') return embed(request, model);
    if (operation === '/moderations') {
      return jsonAnswer(
        moderation(readStrictly(MODERATIONS_REQUEST, bodyOf(request), rejectIssue)),
      );
    }
    throw openAiError(404, null, `Invalid URL (${request.method} ${request.path})`);
  });
  return {
    ...server,
    baseUrl: `${server.url}/v1`,
    accepted,
    responses,
    reply: (...more) => {
      replies = more;
    },
  };
};

interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

const HEADERS = { 'x-request-id': 'req_1', 'openai-processing-ms': '1' } as const;

export const bearerOf = ({ headers: { authorization = '' } }: ProviderRequest): string => {
  const key = /^Bearer (?<key>.+)$/.exec(authorization)?.groups?.['key'];
  if (key === undefined) throw openAiError(401, null, "You didn't provide an API key.");
  if (key !== KEY) {
    throw openAiError(401, 'invalid_api_key', `Incorrect API key provided: ${key}.`);
  }
  return key;
};

const openAiPath = ({ path }: ProviderRequest): Located => ({
  operation: path.replace(/^\/v1/, ''),
});

const bodyOf = (request: ProviderRequest): unknown =>
  jsonOf(request, (message) => {
    throw openAiError(400, null, `We could not parse the JSON body of your request. ${message}`);
  });

const knownModel = (model: string | undefined): string => {
  if (model === undefined) {
    throw openAiError(400, null, 'you must provide a model parameter', { param: 'model' });
  }
  if (!MODELS.some((known) => known === model)) {
    throw openAiError(404, 'model_not_found', `The model '${model}' does not exist`);
  }
  return model;
};

const rejectChat = (asked: ChatRequest, model: string): void => {
  if (asked.stream_options && asked.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw openAiError(400, null, message, { param: 'stream_options' });
  }
  if (asked.max_tokens != null && asked.max_completion_tokens != null) {
    const message =
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    throw openAiError(400, 'invalid_parameter_combination', message);
  }
  if (model === REASONING_MODEL) rejectSampling(asked);
  rejectTurns(asked);
};

const rejectSampling = (asked: ChatRequest): void => {
  if (asked.max_tokens != null) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. " +
      "Use 'max_completion_tokens' instead.";
    throw openAiError(400, 'unsupported_parameter', message, { param: 'max_tokens' });
  }
  if (asked.temperature != null && asked.temperature !== 1) {
    const message = "Unsupported value: 'temperature' does not support this value with this model.";
    throw openAiError(400, 'unsupported_value', message, { param: 'temperature' });
  }
};

/** Each call is followed by its result, and each result follows a call. */
const rejectTurns = ({ messages }: ChatRequest): void => {
  let owed: string[] = [];
  for (const [n, message] of messages.entries()) {
    const param = `messages.[${n}].role`;
    if (message.role === 'tool') {
      if (!owed.includes(message.tool_call_id)) {
        const said =
          "messages with role 'tool' must be a response to a preceding message with calls.";
        throw openAiError(400, null, `Invalid parameter: ${said}`, { param });
      }
      owed = owed.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (owed.length > 0) break;
    owed = message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [];
  }
  if (owed.length === 0) return;
  const said =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
    `'tool_call_id'. These did not have response messages: ${owed.join(', ')}`;
  throw openAiError(400, null, said, { param: 'messages' });
};

/** Every prefix is kept. */
const keptPiece = (value: unknown): PromptPiece => ({ text: JSON.stringify(value), keep: '5m' });

const chatUsage = ({ input, cached, output }: Counts): Json => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
});

const headOf = (model: string): Json => ({
  id: 'chatcmpl-fake1',
  created: 1,
  model: `${model}-2026-10-01`,
  service_tier: 'default',
  system_fingerprint: 'fp_1',
});

const completionOf = (model: string, reply: OpenAiReply, counts: Counts): Json => ({
  ...headOf(model),
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        annotations: [],
        ...reply.message,
      },
      logprobs: null,
      finish_reason: reply.finishReason ?? 'stop',
    },
  ],
  usage: chatUsage(counts),
  ...reply.more,
});

const dataOf = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const chatStream = (
  asked: ChatRequest,
  model: string,
  { message, finishReason = 'stop', ending, events, more }: OpenAiReply,
  counts: Counts,
  preamble: Json | undefined,
): ProviderAnswer => {
  const isUsageAsked = asked.stream_options?.include_usage === true;
  const usage = isUsageAsked ? { usage: null } : {};
  const chunk = (delta: Json, finish_reason: string | null = null): string =>
    dataOf({
      ...headOf(model),
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...usage,
      ...more,
    });
  const { content, tool_calls: calls } = message;
  const words = typeof content === 'string' ? (content.match(/\S+\s*/g) ?? []) : [];
  const last = { ...headOf(model), object: 'chat.completion.chunk', choices: [] };
  const all = [
    ...(preamble ? [dataOf(preamble)] : []),
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...words.map((word) => chunk({ content: word })),
    ...(Array.isArray(calls) ? [chunk({ tool_calls: calls })] : []),
    chunk({}, finishReason),
    ...(isUsageAsked ? [dataOf({ ...last, usage: chatUsage(counts) })] : []),
    'data: [DONE]\n\n',
  ];
  return {
    headers: { 'content-type': 'text/event-stream', ...HEADERS },
    pieces: all.slice(0, events ?? all.length),
    ...(ending && { ending }),
  };
};

const responseOf = (model: string, { message, more }: OpenAiReply, counts: Counts): Json => ({
  id: 'resp_fake1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: `${model}-2026-10-01`,
  output: [
    { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'c2VhbGVk' },
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: message['content'], annotations: [] }],
    },
  ],
  usage: {
    input_tokens: counts.input,
    input_tokens_details: { cached_tokens: counts.cached },
    output_tokens: counts.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: counts.input + counts.output,
  },
  ...more,
});

const responseStream = (response: Json, { ending, events }: OpenAiReply): ProviderAnswer => {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const [reasoning, message] = response['output'] as readonly Json[];
  const [part] = message?.['content'] as readonly Json[];
  const text = String(part?.['text']);
  const at = { item_id: 'msg_1', output_index: 1, content_index: 0 };
  const named: readonly (readonly [string, Json])[] = [
    ['response.created', { response: begun }],
    ['response.in_progress', { response: begun }],
    ['response.output_item.added', { output_index: 0, item: reasoning }],
    ['response.output_item.done', { output_index: 0, item: reasoning }],
    ['response.output_item.added', { output_index: 1, item: { ...message, content: [] } }],
    ['response.content_part.added', { ...at, part: { ...part, text: '' } }],
    ...(text.match(/\S+\s*/g) ?? []).map(
      (delta) => ['response.output_text.delta', { ...at, delta }] as const,
    ),
    ['response.output_text.done', { ...at, text }],
    ['response.content_part.done', { ...at, part }],
    ['response.output_item.done', { output_index: 1, item: message }],
    ['response.completed', { response }],
  ];
  const all = named.map(
    ([type, fields], sequence_number) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`,
  );
  return {
    headers: { 'content-type': 'text/event-stream', ...HEADERS },
    pieces: all.slice(0, events ?? all.length),
    ...(ending && { ending }),
  };
};

const embed = (request: ProviderRequest, located?: string): ProviderAnswer => {
  const asked = readStrictly(EMBEDDINGS_REQUEST, bodyOf(request), rejectIssue);
  return jsonAnswer(embeddingsOf(asked, knownModel(located ?? asked.model)));
};
