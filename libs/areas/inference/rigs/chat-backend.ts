/**
 * The contract of a rig: an upstream server or an engine in this process. Shapes follow the OpenAI
 * chat-completions API; fields that Quipu does not read pass through unchanged.
 */
import { type OriginalRequest } from '#platform/chats/chat-order.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type CostSink } from './cost-sink.js';
import { type TextAdapter } from './text-adapter.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface ChatRequest {
  /** The body to send: `model` and `max_tokens` already have the rig's values. */
  readonly body: JsonObject;
  /**
   * An upper bound on the prompt's tokens, made from its bytes. Usage counted here is never above
   * it. Usage that a provider states may be above it: the meter then charges the bound.
   */
  readonly promptTokensMax: number;
  /** The caller's own request, with the body that was read from it. */
  readonly original?:
    | (OriginalRequest & {
        readonly body: JsonObject;
        /** The model that the answer names, where that is not the one in the body. */
        readonly shownModel?: string | undefined;
      })
    | undefined;
  /** Changes the weights of an embedded model for this request. */
  readonly adapter?: TextAdapter | undefined;
  /** A line of a batch: a rig with a queue of its own lets interactive requests go first. */
  readonly isBatch?: boolean;
  /** Absent where the rig states no cost. */
  readonly cost?: CostSink | undefined;
  /** Absent for a request without a session. */
  readonly keys?: KeyAffinity | undefined;
  /** The ids of the caller's `traceparent`, which goes to the rig. */
  readonly trace?: string | undefined;
}

/** The key of a rig that a session prefers, since a provider's cache belongs to its account. */
export interface KeyAffinity {
  /** Its place among the keys of the rig; undefined: none. */
  readonly preferred: number | undefined;
  /** Called with the place of the key that answered. */
  readonly answered: (key: number) => void;
}

/** One `chat.completion` object. */
export interface ChatAnswer {
  readonly completion: JsonObject;
  /** The answer in the dialect of the original request, where it was sent as such. */
  readonly original?: string;
  readonly usage: Usage;
}

/** One `chat.completion.chunk` object. */
export type ChatChunk = JsonObject;

/**
 * A stream that ends without usage cannot be billed, so the generator returns the usage. Chunks
 * arrive in pages, one per read of the socket, so that a fast rig costs few turns. A stream cut by
 * the signal hands out the chunks that have arrived and returns its usage; one that breaks throws
 * `RigError` with `used`.
 */
export interface ChatBackend {
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>;
  stream(
    request: ChatRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ChatChunk[], Usage, void>;
  /**
   * The exact tokens of the prompt, by the tokenizer of the model. Absent where the rig knows only
   * a bound.
   * @throws RigError
   */
  count?(request: ChatRequest, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** A rig that has the tokenizers of its models. */
export type CountingBackend = ChatBackend & Required<Pick<ChatBackend, 'count'>>;

/** Why a rig did not answer. The union is closed: retries and error envelopes depend on it. */
export type RigErrorKind =
  /** No connection, none within the connect time-out, or one lost before there was an answer. */
  | 'unreachable'
  /** Nothing received within the idle time-out. */
  | 'timed-out'
  /** 429 or 503: it may answer later. */
  | 'overloaded'
  /**
   * Any other failure of the rig or of its operator: 500 and above, and 401, 402, 403, 404, 405 and
   * 407, which concern the operator's key or settings and not the caller's request.
   */
  | 'failed'
  /** Another status of 400 to 499: the request is at fault, another rig would say the same. */
  | 'refused'
  /** Not JSON, not SSE, or a shape that cannot be billed. */
  | 'malformed'
  /** The stream broke after its first byte. */
  | 'broken-off'
  /** The caller's signal fired before an answer. */
  | 'cancelled';

export class RigError extends Error {
  override readonly name = 'RigError';

  constructor(
    readonly kind: RigErrorKind,
    message: string,
    readonly details: {
      /** The upstream's HTTP status. */
      readonly status?: number;
      /** The upstream's own OpenAI `error` object; the caller may see that of `refused` only. */
      readonly upstreamError?: JsonObject;
      /** From `Retry-After`, in milliseconds. */
      readonly retryAfterMs?: number;
      /**
       * Of a stream that broke: the delivered tokens. Of a cancelled request: its prompt, once the
       * rig had it; absent before.
       */
      readonly used?: Usage;
      /** The usage that the rig states for a failed request; no account pays for it. */
      readonly unbilled?: Usage;
      /** Of one that is unreachable: the whole request was written before the connection broke. */
      readonly isSent?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
  }
}
