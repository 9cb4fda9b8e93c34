/** A request that the gateway rejected, or a stream that could not be completed. */
export class QuipuError extends Error {
  override readonly name = 'QuipuError';

  /**
   * @param code of the gateway, such as `insufficient_funds`
   * @param status the HTTP status; null for an error within a stream
   */
  constructor(
    message: string,
    readonly code: string,
    readonly status: number | null,
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

interface ErrorFields {
  readonly message?: string;
  readonly code?: string | null;
  readonly type?: string;
}

/** From the envelope of OpenAI, of Anthropic or of the application. */
export const errorOf = (
  body: unknown,
  status: number | null,
  requestId: string | null,
): QuipuError => {
  const outer = (body ?? {}) as ErrorFields & { readonly error?: ErrorFields };
  const { message, code, type } = outer.error ?? outer;
  const reason = message ?? `the gateway answered with status ${status ?? 'unknown'}`;
  return new QuipuError(reason, code ?? type ?? 'unknown_error', status, requestId);
};

/** @throws QuipuError unless the answer is a success */
export const demandSuccess = async (response: Response): Promise<Response> => {
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw errorOf(body, response.status, response.headers.get('x-request-id'));
};
