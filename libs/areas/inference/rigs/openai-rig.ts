import { type Dispatcher, Pool } from 'undici';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type ChatRequest, type JsonObject } from './chat-backend.js';
import { type EmbeddingAnswer, type RigBackend } from './embedding-backend.js';
import { countedInputTokens, embeddingAnswerIn } from './embedding-answer.js';
import { isObject } from './token-usage.js';
import { takeCost } from './stated-cost.js';
import { StreamExchange } from './stream-exchange.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';
import {
  AnswerExchange,
  type AnswerForm,
  chatForm,
  type ExchangeLimits,
  type UpstreamExchange,
} from './upstream-exchange.js';

export interface OpenAiRigOptions {
  readonly name: string;
  /** With the version in it, `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Connections kept to the upstream, each for one request at a time. */
  readonly maxConcurrency: number;
  /** Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** From the request to the first byte; a whole answer is generated meanwhile. Default 300,000. */
  readonly answerTimeoutMs?: number;
  /** Between two bytes of an answer. Default 60,000; fires up to a second late. */
  readonly idleTimeoutMs?: number;
  /** Of a whole answer and, in characters, of one event of a stream. Default 32 MiB. */
  readonly answerBytesMax?: number;
  /** Parsed and not yet taken by a slow consumer before the socket is paused. Default 64 KiB. */
  readonly pendingBytesMax?: number;
  /** The server knows no `max_completion_tokens`: the bound is sent as `max_tokens`, too. */
  readonly readsMaxTokensOnly?: boolean;
  readonly clock?: Clock;
}

/** Most servers without a `Keep-Alive` header close after 5 s; one second is left for the race. */
const KEEP_ALIVE_MS = 4_000;

/** An OpenAI-compatible server over kept-alive HTTP/1.1 connections. */
export const createOpenAiRig = (options: OpenAiRigOptions): RigBackend => {
  const { clock = systemClock } = options;
  const url = new URL(options.baseUrl);
  const pool = createPool(url.origin, options);
  const limits: ExchangeLimits = {
    rig: options.name,
    answerBytesMax: options.answerBytesMax ?? 32 * 1024 * 1024,
    pendingBytesMax: options.pendingBytesMax ?? 64 * 1024,
    now: clock.now,
  };
  const base = withoutTrailing(url.pathname, '/');
  const path = `${base}/chat/completions`;
  const headers = headersOf(options.apiKey);
  const post = (to: string, body: JsonObject, exchange: Dispatcher.DispatchHandler): void => {
    pool.dispatch({ path: to, method: 'POST', headers, body: JSON.stringify(body) }, exchange);
  };
  const send = (body: JsonObject, exchange: Dispatcher.DispatchHandler): void => {
    post(path, options.readsMaxTokensOnly ? withMaxTokens(body) : body, exchange);
  };
  const answered = async <Answer>(
    form: AnswerForm<Answer>,
    signal: AbortSignal,
    ask: (exchange: Dispatcher.DispatchHandler) => void,
  ): Promise<Answer> => {
    const exchange = new AnswerExchange(limits, form);
    const leave = cancelledBy(signal, exchange);
    try {
      if (!signal.aborted) ask(exchange);
      return await exchange.answer();
    } finally {
      leave();
    }
  };
  return {
    complete: (request, signal) =>
      answered(chatForm(request), signal, (exchange) => send(wholeBody(request.body), exchange)),

    embed(request, signal) {
      const form: AnswerForm<EmbeddingAnswer> = {
        name: 'list of embeddings',
        read: (answer) => embeddingAnswerIn(takeCost(answer, request.cost), request),
        counted: () => countedInputTokens(request),
      };
      const ask = (exchange: Dispatcher.DispatchHandler): void =>
        post(`${base}/embeddings`, request.body, exchange);
      return answered(form, signal, ask);
    },

    async *stream(request, signal) {
      const exchange = new StreamExchange(limits, request, asksForUsage(request));
      const leave = cancelledBy(signal, exchange);
      try {
        if (!signal.aborted) send(streamBody(request.body), exchange);
        for (;;) {
          if (exchange.hasPage) yield exchange.take();
          else if (exchange.isSettled) break;
          else await exchange.arrival();
        }
        const owed = exchange.owedUsageChunk();
        if (owed) yield [owed];
        return exchange.usage();
      } finally {
        leave();
        exchange.cancel();
      }
    },

    close: () => pool.destroy(),
  };
};

const createPool = (origin: string, options: OpenAiRigOptions): Pool =>
  new Pool(origin, {
    connections: options.maxConcurrency,
    pipelining: 1,
    allowH2: false,
    connectTimeout: options.connectTimeoutMs ?? 5_000,
    headersTimeout: options.answerTimeoutMs ?? 300_000,
    bodyTimeout: options.idleTimeoutMs ?? 60_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });

const headersOf = (apiKey: string | undefined): string[] => [
  ...['content-type', 'application/json', 'accept', 'application/json, text/event-stream'],
  ...(apiKey === undefined ? [] : ['authorization', `Bearer ${apiKey}`]),
];

const withMaxTokens = (body: JsonObject): JsonObject => ({
  ...body,
  max_tokens: body['max_tokens'] ?? body['max_completion_tokens'],
});

/** OpenAI rejects `stream_options` without `stream`. */
const wholeBody = (body: JsonObject): JsonObject => ({
  ...body,
  stream: false,
  stream_options: undefined,
});

/** Usage is always requested: a stream without it can only be counted. */
const streamBody = (body: JsonObject): JsonObject => {
  const { stream_options: asked } = body;
  const options = isObject(asked) ? { ...asked, include_usage: true } : { include_usage: true };
  return { ...body, stream: true, stream_options: options };
};

const asksForUsage = ({ body }: ChatRequest): boolean =>
  isObject(body['stream_options']) && body['stream_options']['include_usage'] === true;

/** @returns the unsubscribe function */
const cancelledBy = (signal: AbortSignal, exchange: UpstreamExchange): (() => void) => {
  const cancel = (): void => {
    exchange.cancel();
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  return () => {
    signal.removeEventListener('abort', cancel);
  };
};
