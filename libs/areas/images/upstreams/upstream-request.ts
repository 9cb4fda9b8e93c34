import { request } from 'undici';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { formBody } from '#platform/network/form-body.js';
import {
  addressOf,
  authorizationOf,
  type UpstreamServer,
} from '#platform/runtime/areas/upstreams-file.js';
import { ImagesError } from '../images.errors.js';

/** Of an answer: ten pictures of four million pixels in base64. */
export const ANSWER_BYTES_MAX = 128 * 1_024 * 1_024;
const CONNECT_MS_MAX = 10_000;
const DETAIL_LENGTH_MAX = 200;

/**
 * Posts a body and reads the JSON of the answer, in bounded memory.
 * @param body an object is sent as JSON; null: the address is read
 * @throws ImagesError; the reason of the signal
 */
export const askUpstream = (
  upstream: UpstreamServer,
  path: string,
  body: FormData | Readonly<Record<string, unknown>> | null,
  signal: AbortSignal,
): Promise<unknown> =>
  asked(upstream, path, body, signal, (bytes) => JSON.parse(bytes.toString('utf8')) as unknown);

/** The bytes of an address. @throws ImagesError; the reason of the signal */
export const fileOfUpstream = (
  upstream: UpstreamServer,
  path: string,
  signal: AbortSignal,
): Promise<Buffer> => asked(upstream, path, null, signal, (bytes) => bytes);

const asked = async <Answer>(
  upstream: UpstreamServer,
  path: string,
  body: FormData | Readonly<Record<string, unknown>> | null,
  signal: AbortSignal,
  read: (bytes: Buffer) => Answer,
): Promise<Answer> => {
  try {
    const sent = await contentOf(body);
    const answer = await request(addressOf(upstream, path), {
      method: body === null ? 'GET' : 'POST',
      headers: {
        accept: '*/*',
        ...(sent && { 'content-type': sent.contentType }),
        ...authorizationOf(upstream),
      },
      body: sent?.bytes ?? null,
      signal,
      headersTimeout: 0,
      bodyTimeout: CONNECT_MS_MAX,
    });
    const bytes = await boundedBytes(answer.body, ANSWER_BYTES_MAX, tooLarge);
    if (answer.statusCode >= 200 && answer.statusCode < 300) return read(bytes);
    throw rejected(answer.statusCode, bytes.toString('utf8'));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ImagesError) throw error;
    const detail = 'the upstream did not answer as its interface says';
    throw new ImagesError('failed', detail, { cause: error });
  }
};

const contentOf = async (body: FormData | Readonly<Record<string, unknown>> | null) => {
  if (body instanceof FormData) return formBody(body);
  return body && { contentType: 'application/json', bytes: JSON.stringify(body) };
};

const tooLarge = (): ImagesError => new ImagesError('failed', 'the answer is too large');

/** A request that the server does not accept is the caller's; credentials are not. */
const rejected = (status: number, text: string): ImagesError => {
  const isOfCaller = status === 400 || status === 413 || status === 422;
  if (isOfCaller) {
    return new ImagesError('refused', `the upstream rejects the request: ${detailOf(text)}`);
  }
  const kind = status === 429 || status === 503 ? 'busy' : 'failed';
  return new ImagesError(kind, `the upstream answered ${status}`);
};

/** The message of OpenAI's envelope, or of FastAPI's. */
const detailOf = (text: string): string => {
  try {
    const { error, detail } = JSON.parse(text) as {
      readonly error?: { readonly message?: unknown } | string;
      readonly detail?: unknown;
    };
    const message = typeof error === 'object' ? error.message : (error ?? detail);
    if (typeof message === 'string') return message.slice(0, DETAIL_LENGTH_MAX);
  } catch {
    // Not JSON: its text may be a page.
  }
  return 'it gives no reason';
};
