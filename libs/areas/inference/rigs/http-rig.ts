import { Pool } from 'undici';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';
import { type ChatAnswer, type ChatRequest } from './chat-backend.js';
import { countedPrompt } from './counted-usage.js';
import {
  type Credential,
  type Dialect,
  type ProviderRequest,
  type TokenCounting,
} from './dialects/dialect.js';
import {
  type EmbeddingAnswer,
  type EmbeddingRequest,
  type RigBackend,
} from './embedding-backend.js';
import { countedInputTokens, embeddingAnswerIn } from './embedding-answer.js';
import { RigKeys } from './rig-keys.js';
import { countedScoring, scoringAnswerIn } from './scoring-answer.js';
import { type ScoringAnswer, type ScoringRequest } from './scoring-backend.js';
import { StreamExchange } from './stream-exchange.js';
import {
  AnswerExchange,
  type AnswerForm,
  type ExchangeLimits,
  type UpstreamExchange,
} from './upstream-exchange.js';

export interface HttpRigOptions {
  readonly name: string;
  /** With the version in it, `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  readonly dialect: Dialect;
  /** In the order of preference; none: requests carry no credentials. */
  readonly credentials?: readonly Credential[];
  /** Further headers of the operator, with names in lower case; never logged. */
  readonly headers?: Readonly<Record<string, string>>;
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
  readonly clock?: Clock;
}

/** Most servers without a `Keep-Alive` header close after 5 s; one second is left for the race. */
const KEEP_ALIVE_MS = 4_000;

/** A server over kept-alive HTTP/1.1 connections, whatever its dialect. */
export const createHttpRig = (options: HttpRigOptions): RigBackend => {
  const { name, dialect, clock = systemClock } = options;
  const { embeddings, scoring, counting } = dialect;
  const limits: ExchangeLimits = {
    rig: name,
    answerBytesMax: options.answerBytesMax ?? 32 * 1024 * 1024,
    pendingBytesMax: options.pendingBytesMax ?? 64 * 1024,
    now: clock.now,
    errors: dialect.errors,
    ...(dialect.tierIn && { tierIn: dialect.tierIn }),
  };
  const [sender, keys] = [new Sender(options), new RigKeys(name, options.credentials ?? [], clock)];

  const answered = <Answer>(
    { body, keys: affinity }: Pick<ChatRequest, 'body' | 'keys'>,
    form: AnswerForm<Answer>,
    signal: AbortSignal,
    ask: () => ProviderRequest,
  ): Promise<Answer> =>
    keys.ask(body['model'], affinity, async (credential) => {
      const exchange = new AnswerExchange(limits, form);
      const leave = cancelledBy(signal, exchange);
      try {
        const sending = signal.aborted
          ? undefined
          : sender.send(ask(), credential, exchange, signal);
        if (sending) await sending;
        return await exchange.answer();
      } finally {
        leave();
      }
    });

  return {
    complete: (request, signal) => {
      const form = chatForm(dialect, request);
      return answered(request, form, signal, () => traced(dialect.chat(request, false), request));
    },

    ...(embeddings && {
      embed: (request, signal) =>
        answered(request, embeddingsForm(request), signal, () => embeddings(request)),
    }),

    ...(scoring && {
      score: (request, signal) =>
        answered(request, scoringForm(request), signal, () => scoring(request)),
    }),

    ...(counting && {
      count: (request, signal) =>
        answered(request, countForm(counting, request), signal, () => counting.request(request)),
    }),

    async *stream(request, signal) {
      const { exchange, close } = await keys.ask(
        request.body['model'],
        request.keys,
        (credential) => opened({ request, dialect, limits, sender }, credential, signal),
      );
      try {
        for (;;) {
          if (exchange.hasPage) yield exchange.take();
          else if (exchange.isSettled) break;
          else await exchange.arrival();
        }
        const owed = exchange.owedUsageChunk();
        if (owed) yield [owed];
        return exchange.usage();
      } finally {
        close();
      }
    },

    close: () => sender.close(),
  };
};

interface Opening {
  readonly request: ChatRequest;
  readonly dialect: Dialect;
  readonly limits: ExchangeLimits;
  readonly sender: Sender;
}

/** A stream with its first page, or which has ended. @throws RigError of one without a page */
const opened = async (
  { request, dialect, limits, sender }: Opening,
  credential: Credential | undefined,
  signal: AbortSignal,
): Promise<{ readonly exchange: StreamExchange; readonly close: () => void }> => {
  const exchange = new StreamExchange(limits, request, dialect);
  const leave = cancelledBy(signal, exchange);
  const close = (): void => {
    leave();
    exchange.cancel();
  };
  try {
    if (!signal.aborted) {
      await sender.send(traced(dialect.chat(request, true), request), credential, exchange, signal);
    }
    while (!exchange.hasPage && !exchange.isSettled) await exchange.arrival();
    // Throws the failure, so that the next key may be asked.
    if (!exchange.hasPage) exchange.usage();
    return { exchange, close };
  } catch (error) {
    close();
    throw error;
  }
};

/** The request with the trace of its caller. */
const traced = (sent: ProviderRequest, { trace }: ChatRequest): ProviderRequest =>
  trace === undefined
    ? sent
    : { ...sent, headers: { ...sent.headers, traceparent: `00-${trace}-01` } };

const chatForm = (dialect: Dialect, request: ChatRequest): AnswerForm<ChatAnswer> => ({
  name: 'completion',
  failure: dialect.failure,
  read: (answer, serviceTier) => {
    const read = dialect.answer(answer, request);
    return read && serviceTier !== undefined
      ? { ...read, usage: { serviceTier, ...read.usage } }
      : read;
  },
  counted: () => countedPrompt(request),
  cost: request.cost,
});

const embeddingsForm = (request: EmbeddingRequest): AnswerForm<EmbeddingAnswer> => ({
  name: 'list of embeddings',
  read: (answer) => embeddingAnswerIn(answer, request),
  counted: () => countedInputTokens(request),
  cost: request.cost,
});

const scoringForm = (request: ScoringRequest): AnswerForm<ScoringAnswer> => ({
  name: request.task === 'rerank' ? 'ranking' : 'moderation',
  read: (answer) => scoringAnswerIn(answer, request),
  counted: () => countedScoring(request),
  cost: request.cost,
});

const countForm = ({ read }: TokenCounting, request: ChatRequest): AnswerForm<number> => ({
  name: 'token count',
  read,
  counted: () => countedPrompt(request),
});

/** Sends requests with their credentials over the connections to one server. */
class Sender {
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: HttpRigOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.#origin = origin;
    this.#base = withoutTrailing(pathname, '/');
    this.#pool = createPool(origin, options);
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...options.headers,
    };
  }

  /** Waits for the credentials only. @throws RigError `failed` when they cannot be had */
  send(
    request: ProviderRequest,
    credential: Credential | undefined,
    exchange: UpstreamExchange,
    signal: AbortSignal,
  ): void | Promise<void> {
    const { headers: own, body } = request;
    const path = `${this.#base}${request.path}`;
    const headers = own ? { ...this.#headers, ...own } : this.#headers;
    const url = `${this.#origin}${path}`;
    const authorized = credential?.headersFor({ method: 'POST', url, headers, body }, signal);
    const dispatch = (more: Readonly<Record<string, string>> | undefined): void => {
      if (exchange.isSettled) return;
      this.#pool.dispatch(
        { path, method: 'POST', headers: more ? { ...headers, ...more } : headers, body },
        exchange,
      );
    };
    if (isPromise(authorized)) return authorized.then(dispatch);
    dispatch(authorized);
    return undefined;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

const isPromise = <Value>(value: Value | Promise<Value>): value is Promise<Value> =>
  value instanceof Promise;

const createPool = (origin: string, options: HttpRigOptions): Pool =>
  new Pool(origin, {
    connections: options.maxConcurrency,
    pipelining: 1,
    allowH2: false,
    connectTimeout: options.connectTimeoutMs ?? 5_000,
    headersTimeout: options.answerTimeoutMs ?? 300_000,
    bodyTimeout: options.idleTimeoutMs ?? 60_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });

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
