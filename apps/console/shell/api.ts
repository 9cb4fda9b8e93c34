/** A failed call, with the sentence of the gateway. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
  ) {
    super(message);
  }
}

interface Failure {
  readonly message?: unknown;
  readonly code?: unknown;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object;
  readonly csrfToken?: string;
  readonly signal?: AbortSignal;
}

/**
 * Calls a route of this gateway, whose cookie the browser sends.
 * @throws ApiError for any other answer than a success, and for none
 */
export const call = async <Answer>(
  address: string,
  { method = 'GET', body, csrfToken, signal }: Call = {},
): Promise<Answer> => {
  const reply = await fetch(address, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ApiError('The gateway does not answer.', 0, 'unreachable');
  });
  const answer: unknown = await reply.json().catch(() => null);
  if (reply.ok && answer !== null) return answer as Answer;
  const { message, code } = (answer ?? {}) as Failure;
  throw new ApiError(
    typeof message === 'string' ? message : `The gateway answered ${reply.status}.`,
    reply.status,
    typeof code === 'string' ? code : 'unknown',
  );
};

/** A route with a query; undefined fields are left out. */
export const routeOf = (
  route: string,
  fields: Readonly<Record<string, string | undefined>>,
): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== '') search.set(name, value);
  }
  const text = search.toString();
  return text === '' ? route : `${route}?${text}`;
};

/** The same read at a command line. */
export const curlOf = (origin: string, route: string): string =>
  `curl -sS -H "Authorization: Bearer $QUIPU_API_KEY" '${origin}${route.replaceAll("'", '%27')}'`;
