import { request } from 'undici';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';

export interface JsonRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns what the body says */
export type FetchJson = (request: JsonRequest) => Promise<unknown>;

/** The server answered with a failure, or with something other than JSON. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError';

  constructor(
    /** Without path and query, which may contain a secret. */
    readonly origin: string,
    readonly status: number,
    reason: string,
  ) {
    super(`${origin} answered ${status}: ${reason}`);
  }
}

const BYTES_MAX = 64 * 1_048_576;
const REASON_LENGTH_MAX = 200;

/** A number outside the safe integers, or with a fraction, is kept as text: amounts stay exact. */
const exact = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined
    ? source
    : value;

/** Follows no redirect. @throws UnusableAnswerError; the error of the connection */
export const fetchJson =
  (parse: (text: string) => unknown = JSON.parse): FetchJson =>
  async ({ url, signal, body, headers = {} }) => {
    const { origin, username, password } = new URL(url);
    const target = new URL(url);
    target.username = '';
    target.password = '';
    const answer = await request(target, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(username !== '' && { authorization: basic(username, password) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
    const bytes = await boundedBytes(answer.body, BYTES_MAX, () => {
      return new UnusableAnswerError(origin, answer.statusCode, 'the body is too large');
    });
    const text = bytes.toString('utf8');
    if (answer.statusCode >= 300) {
      throw new UnusableAnswerError(origin, answer.statusCode, text.slice(0, REASON_LENGTH_MAX));
    }
    try {
      return parse(text);
    } catch {
      throw new UnusableAnswerError(origin, answer.statusCode, 'the body is not JSON');
    }
  };

/** Numbers that a double cannot hold exactly become text. */
export const parseExactly = (text: string): unknown =>
  // The third argument, the source of the number, is newer than the compiler's library.
  JSON.parse(text, exact as (key: string, value: unknown) => unknown);

const basic = (username: string, password: string): string => {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
};
