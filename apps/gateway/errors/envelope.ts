import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';

/** A failure at the edge, before it gets the envelope of its route. */
export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly type: string;
  readonly retryAfterSeconds: number | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** For the log only. */
  readonly rig: string | null;
}

/** The envelope of a route's errors: OpenAI's, Anthropic's or the application's. */
export type ErrorShape = 'openai' | 'anthropic' | 'application';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@OpenAiErrors()` and `@AnthropicErrors()`. */
    errorShape?: ErrorShape;
  }
}

/** Names the envelope of a route for the OpenAPI document, which removes it. */
export const SHAPE_EXTENSION = 'x-error-shape';

/** Gives a controller method the error envelope of an interface. */
export const ErrorsOf = (errorShape: ErrorShape, config: object = {}): MethodDecorator =>
  applyDecorators(
    RouteConfig({ ...config, errorShape }),
    ApiExtension(SHAPE_EXTENSION, errorShape),
  );

/** Gives a controller method OpenAI's error envelope. */
export const OpenAiErrors = (): MethodDecorator => ErrorsOf('openai');

/** Gives a controller method Anthropic's error envelope. */
export const AnthropicErrors = (): MethodDecorator => ErrorsOf('anthropic');

export const errorShapeOf = ({
  url,
  routeOptions,
}: Pick<FastifyRequest, 'url'> & {
  readonly routeOptions?: { readonly config?: { readonly errorShape?: ErrorShape } };
}): ErrorShape => routeOptions?.config?.errorShape ?? errorShapeAt(url);

/**
 * A request without a route has no declaration. Under `/v1`, the base of OpenAI's clients, its
 * error has OpenAI's envelope, and under `/v1/messages` Anthropic's.
 */
export const errorShapeAt = (url: string): ErrorShape => {
  const [path = ''] = url.split('?', 1);
  if (isUnder('/v1/messages', path)) return 'anthropic';
  return isUnder('/v1', path) ? 'openai' : 'application';
};

const isUnder = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

export const openAiEnvelope = ({ message, type, param, code, metadata }: Failure): object => ({
  error: { message, type, param, code, ...(metadata && { metadata }) },
});

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

const anthropicTypeOf = (status: number): string =>
  ANTHROPIC_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

/** The code, the field and the metadata are our own, beside what Anthropic's clients read. */
export const anthropicEnvelope = (
  { status, message, code, param, metadata }: Failure,
  requestId: string,
): object => ({
  type: 'error',
  error: {
    type: anthropicTypeOf(status),
    message,
    code,
    ...(param !== null && { param }),
    ...(metadata && { metadata }),
  },
  request_id: requestId,
});

export const applicationEnvelope = ({ message, code, param, metadata }: Failure): object => ({
  success: false,
  message,
  code,
  ...(param !== null && { param }),
  ...(metadata && { metadata }),
});

export const envelope = (
  request: Parameters<typeof errorShapeOf>[0] & Pick<FastifyRequest, 'id'>,
  failure: Failure,
): object => {
  switch (errorShapeOf(request)) {
    case 'openai':
      return openAiEnvelope(failure);
    case 'anthropic':
      return anthropicEnvelope(failure, request.id);
    case 'application':
      return applicationEnvelope(failure);
  }
};
