/** A failure as the edge knows it, before it takes the shape of the route it happened on. */
export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly type: string;
  readonly retryAfterSeconds: number | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** OpenAI's error types, by status; SDKs pick their exception class by the status itself. */
export const errorType = (status: number): string => {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
      return 'insufficient_quota';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 409:
      return 'conflict_error';
    case 429:
      return 'rate_limit_error';
    default:
      return status >= 500 ? 'server_error' : 'invalid_request_error';
  }
};

/** Everything under `/v1`, and chat wherever it is, fails in OpenAI's shape. */
export const speaksOpenAi = (url: string): boolean => {
  const [path = ''] = url.split('?', 1);
  return (
    path === '/v1' ||
    path.startsWith('/v1/') ||
    path === '/api/v1/chat/completions' ||
    path.startsWith('/api/v1/models')
  );
};

export const openAiEnvelope = ({ message, type, param, code, metadata }: Failure): object => ({
  error: { message, type, param, code, ...(metadata && { metadata }) },
});

export const applicationEnvelope = ({ message, code, param, metadata }: Failure): object => ({
  success: false,
  message,
  code,
  ...(param !== null && { param }),
  ...(metadata && { metadata }),
});

export const envelope = (url: string, failure: Failure): object =>
  speaksOpenAi(url) ? openAiEnvelope(failure) : applicationEnvelope(failure);
