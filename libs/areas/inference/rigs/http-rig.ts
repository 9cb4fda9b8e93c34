import { Pool } from 'undici';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatAnswer, type ChatRequest, type JsonObject } from './chat-backend.js';
import { type CostSink } from './cost-sink.js';
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
  ): Promise<Answer> =>
    keys.ask(body['model'], affinity, (credential) => {
      const exchange = new AnswerExchange(limits, form);
      exchange.cancelOn(signal);
      if (exchange.isSettled) return exchange.answer();
      try {
        const sending = sender.send(form.sent(), credential, exchange, signal);
        sending?.catch((error: unknown) => exchange.unsent(error));
      } catch (error) {
        exchange.unsent(error);
      }
      return exchange.answer();
    });

  return {
    complete: (request, signal) => answered(request, new ChatForm(dialect, request), signal),

    ...(embeddings && {
      embed: (request, signal) => answered(request, embeddingsForm(embeddings, request), signal),
    }),

    ...(scoring && {
      score: (request, signal) => answered(request, scoringForm(scoring, request), signal),
    }),

    ...(counting && {
      count: (request, signal) => answered(request, countForm(counting, request), signal),
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
  exchange.cancelOn(signal);
  const close = (): void => exchange.cancel();
  try {
    if (!exchange.isSettled) {
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

/** A chat is asked for most often: a class spares it a closure for each method. */
class ChatForm implements AnswerForm<ChatAnswer> {
  readonly name = 'completion';

  constructor(
    private readonly dialect: Dialect,
    private readonly request: ChatRequest,
  ) {}

  get failure(): Dialect['failure'] {
    return this.dialect.failure;
  }

  get cost(): CostSink | undefined {
    return this.request.cost;
  }

  sent(): ProviderRequest {
    return traced(this.dialect.chat(this.request, false), this.request);
  }

  read(answer: JsonObject, serviceTier: string | undefined): ChatAnswer | null {
    const read = this.dialect.answer(answer, this.request);
    return read && serviceTier !== undefined
      ? { ...read, usage: { serviceTier, ...read.usage } }
      : read;
  }

  counted(): Usage {
    return countedPrompt(this.request);
  }
}

const embeddingsForm = (
  sent: NonNullable<Dialect['embeddings']>,
  request: EmbeddingRequest,
): AnswerForm<EmbeddingAnswer> => ({
  name: 'list of embeddings',
  sent: () => sent(request),
  read: (answer) => embeddingAnswerIn(answer, request),
  counted: () => countedInputTokens(request),
  cost: request.cost,
});

const scoringForm = (
  sent: NonNullable<Dialect['scoring']>,
  request: ScoringRequest,
): AnswerForm<ScoringAnswer> => ({
  name: request.task === 'rerank' ? 'ranking' : 'moderation',
  sent: () => sent(request),
  read: (answer) => scoringAnswerIn(answer, request),
  counted: () => countedScoring(request),
  cost: request.cost,
});

const countForm = (counting: TokenCounting, request: ChatRequest): AnswerForm<number> => ({
  name: 'token count',
  sent: () => counting.request(request),
  read: counting.read,
  counted: () => countedPrompt(request),
});

type Headers = Readonly<Record<string, string>>;

/** Sends requests with their credentials over the connections to one server. */
class Sender {
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #base: string;
  readonly #headers: Headers;
  /** The last of these, since most requests have the same key and address. */
  #authorized: { readonly by: Headers | undefined; readonly headers: string[] } | undefined;
  #address: { readonly below: string; readonly path: string } | undefined;

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
  ): Promise<void> | undefined {
    const { headers: own, body } = request;
    const path = this.#pathOf(request.path);
    const url = `${this.#origin}${path}`;
    const headers = own ? { ...this.#headers, ...own } : this.#headers;
    const authorized = credential?.headersFor({ method: 'POST', url, headers, body }, signal);
    if (isPromise(authorized)) {
      return authorized.then((by) => {
        this.#dispatch(path, request, by, exchange);
      });
    }
    this.#dispatch(path, request, authorized, exchange);
    return undefined;
  }

  #dispatch(
    path: string,
    { headers: own, body }: ProviderRequest,
    authorized: Headers | undefined,
    exchange: UpstreamExchange,
  ): void {
    if (exchange.isSettled) return;
    const headers = own
      ? { ...this.#headers, ...own, ...authorized }
      : this.#headersWith(authorized);
    this.#pool.dispatch({ path, method: 'POST', headers, body }, exchange);
  }

  #headersWith(by: Headers | undefined): string[] {
    if (this.#authorized?.by !== by || !this.#authorized) {
      this.#authorized = { by, headers: Object.entries({ ...this.#headers, ...by }).flat() };
    }
    return this.#authorized.headers;
  }

  #pathOf(below: string): string {
    if (this.#address?.below !== below) {
      this.#address = { below, path: `${this.#base}${below}` };
    }
    return this.#address.path;
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
