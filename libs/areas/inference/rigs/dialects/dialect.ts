/**
 * How a kind of provider is spoken to. `HttpRig` carries the requests of every dialect over one
 * transport; a dialect only translates. Its README says how one is added.
 */
import { type Usage } from '#platform/chats/chat-usage.js';
import {
  type ChatAnswer,
  type ChatChunk,
  type ChatRequest,
  type JsonObject,
  type RigErrorKind,
} from '../chat-backend.js';
import { type EmbeddingRequest } from '../embedding-backend.js';
import { type ScoringRequest } from '../scoring-backend.js';

export interface Dialect {
  /**
   * The request for a chat.
   * @throws RigError `refused` that names the field which this provider cannot honour
   */
  readonly chat: (request: ChatRequest, isStream: boolean) => ProviderRequest;
  /** Reads a whole answer, its usage included. Null for JSON that is none. */
  readonly answer: (answer: JsonObject, request: ChatRequest) => ChatAnswer | null;
  /** The error that an answer with the status 200 is. Absent: there are no such answers. */
  readonly failure?: (answer: JsonObject) => ProviderError | null;
  /** A reader of one stream. */
  readonly reader: (request: ChatRequest) => EventReader;
  /** Reads the error of an answer whose status is not 2xx. */
  readonly errors: ErrorReader;
  /** The service tier that the headers of an answer state, where its body states none. */
  readonly tierIn?: (headers: ResponseHeaders) => string | undefined;
  /** How a stream is cut into events. Default: server-sent events. */
  readonly frames?: FrameFormat;
  /** The request for embeddings, whose answer is OpenAI's. Absent where there are none. */
  readonly embeddings?: (request: EmbeddingRequest) => ProviderRequest;
  /** The request for a moderation or a ranking. Absent where there are none. */
  readonly scoring?: (request: ScoringRequest) => ProviderRequest;
  /** How the tokens of a prompt are counted. Absent where the provider does not. */
  readonly counting?: TokenCounting;
}

/** Asks a provider for the tokens of a prompt. */
export interface TokenCounting {
  readonly request: (request: ChatRequest) => ProviderRequest;
  /** Null for JSON that is no count. */
  readonly read: (answer: JsonObject) => number | null;
}

/** A request, without its address and its credentials. */
export interface ProviderRequest {
  /** Below the base URL of the rig, with the query: `/chat/completions`. */
  readonly path: string;
  /** Beside `content-type` and the headers of the credentials; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Reads the events of one stream, in order. */
export interface EventReader {
  /**
   * @param data of one event
   * @param name of the event, where the stream has names
   * @returns null for an event that cannot be read, which breaks the stream
   */
  read(data: string, name: string | undefined): StreamPiece | null;
}

/** The part of an answer that one event of a stream adds. */
export interface StreamPiece {
  /** For the caller; often one, and none for an event without a meaning in a chat. */
  readonly chunks: readonly ChatChunk[];
  /** Deltas that carry something, each a token at least. Default: 0. */
  readonly deltas?: number;
  /** The usage of the whole stream up to here, as the provider states it. */
  readonly usage?: Usage;
  /** The service tier that the provider states. */
  readonly serviceTier?: string | undefined;
  /** The answer is whole: an end of the connection breaks nothing any more. */
  readonly isFinished?: boolean;
  /** Nothing follows. */
  readonly isEnd?: boolean;
  /** The provider reports an error instead of a chunk. */
  readonly error?: ProviderError;
}

/** An error of a provider. */
export interface ProviderError {
  /** The `error` object in OpenAI's shape; a caller may see it where its request is at fault. */
  readonly error: JsonObject;
  /** Undefined: the status decides. */
  readonly kind?: RigErrorKind | undefined;
  /** Instead of the status line, where that means something else. Default within a stream: 500. */
  readonly status?: number;
  /** Names the error to operators and callers, where the provider has no text for them. */
  readonly name?: string;
  /** Where the body states the wait, and no header. */
  readonly retryAfterMs?: number;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads an error.
 * @param body as parsed
 * @returns null where the body is no error of this provider: the status decides
 */
export type ErrorReader = (body: JsonObject, headers: ResponseHeaders) => ProviderError | null;

/** Cuts the bytes of a stream into events. */
export interface FrameReader {
  /** An unfinished event has exceeded the limit. */
  readonly isTooLong: boolean;
  push(bytes: Buffer): void;
  /** The response has ended. */
  end(): void;
}

/** @param charactersMax of one unfinished event */
export type FrameFormat = (
  onEvent: (data: string, name: string | undefined) => void,
  charactersMax: number,
) => FrameReader;

/** A request as it is sent, for credentials that sign it. */
export interface SignableRequest {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/**
 * One credential of a rig: a key, a source of tokens or a signature.
 * @throws RigError `failed` where the credential cannot be had
 */
export interface Credential {
  /** The headers that authorize a request. They are never logged. */
  headersFor(
    request: SignableRequest,
    signal: AbortSignal,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** The provider has rejected it (401): a token is fetched again, a file is read again. */
  rejected?(): void;
}
