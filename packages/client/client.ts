import createClient, { type Client, type ClientOptions } from 'openapi-fetch';
import { AnswerStream } from './answer-stream.js';
import { type AuditedRequest, verifyCharge, type VerifiedCharge } from './charge.js';
import { demandSuccess } from './quipu.error.js';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';

export interface QuipuOptions extends RetryOptions {
  /** Of a gateway, without a path: `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** An API key, an access token or the key of a renter. */
  readonly apiKey: string;
}

/** The routes whose answers are streams that can be resumed. */
export type StreamRoute =
  '/v1/chat/completions' | '/v1/completions' | '/v1/responses' | '/v1/messages';

export interface StreamOptions {
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

export interface Quipu<Paths extends object> {
  /** Every route of the gateway, typed: `quipu.api.GET('/v1/models')`. */
  readonly api: Client<Paths>;
  /** Begins a stream that survives lost connections. `stream: true` is added to the body. */
  stream(route: StreamRoute, body: object, options?: StreamOptions): Promise<AnswerStream>;
  /** Reads on after an event that was received before, in this process or in another one. */
  resumeStream(lastEventId: string, options?: Pick<StreamOptions, 'signal'>): Promise<AnswerStream>;
  /**
   * Fetches the events of a request and proves its charge: see `verifyCharge`.
   * @param requestId the `x-request-id` of the answer
   * @param verifierKey the key of the log, known from elsewhere
   */
  verifyCharge(requestId: string, verifierKey: string): Promise<VerifiedCharge>;
}

const RESUMES_MAX = 5;

/** @param options the key is sent to `baseUrl` only */
export const connect = <Paths extends object>(options: QuipuOptions): Quipu<Paths> => {
  const { baseUrl, apiKey, retriesMax = RESUMES_MAX } = options;
  const base = baseUrl.replace(/\/+$/, '');
  const send = retryingFetch(options);
  const authorization = { authorization: `Bearer ${apiKey}` };

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...authorization, ...(init.headers as Readonly<Record<string, string>>) };
    return demandSuccess(await send(new Request(`${base}${path}`, { ...init, headers })));
  };

  const events = (streamId: string, lastEventId: string | null, signal?: AbortSignal) =>
    request(`/v1/streams/${encodeURIComponent(streamId)}`, {
      ...(lastEventId !== null && { headers: { 'last-event-id': lastEventId } }),
      signal: signal ?? null,
    });

  const streamOf = (response: Response, lastEventId: string | null, signal?: AbortSignal) =>
    new AnswerStream(
      { response, retriesMax, signal, resume: (id, after) => events(id, after, signal) },
      lastEventId,
    );

  return {
    api: createClient<Paths>({
      baseUrl: base,
      headers: authorization,
      fetch: send,
    } satisfies ClientOptions),
    stream: async (route, body, { signal, idempotencyKey } = {}) => {
      const response = await request(route, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-quipu-resumable': 'true',
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify({ ...body, stream: true }),
        signal: signal ?? null,
      });
      return streamOf(response, null, signal);
    },
    resumeStream: async (lastEventId, { signal } = {}) => {
      const streamId = lastEventId.replace(/-\d+$/, '');
      return streamOf(await events(streamId, lastEventId, signal), lastEventId, signal);
    },
    verifyCharge: async (requestId, verifierKey) => {
      const answer = await request(`/audit/requests/${encodeURIComponent(requestId)}`);
      return verifyCharge((await answer.json()) as AuditedRequest, verifierKey);
    },
  };
};
