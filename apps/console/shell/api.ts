import { type Address, type AnswerOf, type Method } from './routes.js';

/** A failed call, with the sentence of the gateway. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    /** 0: no answer came. */
    readonly status: number,
    readonly code: string,
    /** The field that the gateway rejects, where it names one. */
    readonly param: string | null = null,
  ) {
    super(message);
  }
}

/** Routes with the shapes of other programs have the fields below `error`. */
interface Failure {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly param?: unknown;
  readonly error?: Failure;
}

export interface Call<By extends Method = Method> {
  readonly method?: By;
  readonly body?: object;
  /** Of other types than JSON, and fields of the gateway. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An answer, and the id under which the log has what the call caused. */
export interface Reply<Answer> {
  readonly answer: Answer;
  readonly requestId: string | null;
}

let aheadMs = 0;

/** The clock of the gateway, to a second, by its latest answer: a browser may have a wrong one. */
export const gatewayNow = (): number => Date.now() + aheadMs;

const readClock = (reply: Response): Response => {
  const sentAt = Date.parse(reply.headers.get('date') ?? '');
  if (!Number.isNaN(sentAt)) aheadMs = sentAt - Date.now();
  return reply;
};

/**
 * Sends a request to a route of this gateway, whose cookie the browser sends.
 * @throws ApiError where no answer comes
 */
export const send = (
  address: string,
  { method = 'GET', body, headers, signal }: Call = {},
): Promise<Response> =>
  fetch(address, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).then(readClock, (error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ApiError('The gateway does not answer.', 0, 'unreachable');
  });

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The failure that an answer states. @param answer null: it has no JSON */
export const failureOf = (status: number, answer: unknown): ApiError => {
  const failure = (answer ?? {}) as Failure;
  const { message, code, param } = failure.error ?? failure;
  return new ApiError(
    textOf(message) ?? `The gateway answered ${status}.`,
    status,
    textOf(code) ?? 'unknown',
    textOf(param),
  );
};

/** Calls a route that answers JSON. @throws ApiError for any other answer, and for none */
export const exchange = async <Of extends string, By extends Method = 'GET'>(
  address: Address<Of>,
  call?: Call<By>,
): Promise<Reply<AnswerOf<Of, By>>> => {
  const reply = await send(address, call);
  const answer: unknown = await reply.json().catch(() => null);
  if (!reply.ok || answer === null) throw failureOf(reply.status, answer);
  return { answer: answer as AnswerOf<Of, By>, requestId: reply.headers.get('x-request-id') };
};

/** The same read at a command line. */
export const curlOf = (origin: string, route: string): string =>
  `curl -sS -H "Authorization: Bearer $QUIPU_API_KEY" '${origin}${route.replaceAll("'", '%27')}'`;

const PLAIN_WORD = /^[\w.,:/@=+-]+$/;

/** A command of the command line of Quipu, as a shell takes it. Undefined options are left out. */
export const quipuCommand = (
  words: readonly string[],
  options: Readonly<Record<string, string | undefined>> = {},
): string => {
  const quoted = (word: string): string =>
    PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`--${name}`, quoted(value)],
  );
  return ['quipu', ...words.map(quoted), ...given].join(' ');
};
