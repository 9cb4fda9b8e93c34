import { RouteConfig } from '@nestjs/platform-fastify';
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

/** The envelope of a route's errors: OpenAI's or the application's. */
export type ErrorShape = 'openai' | 'application';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@OpenAiErrors()`. */
    errorShape?: ErrorShape;
  }
}

/** Gives a controller method OpenAI's error envelope. */
export const OpenAiErrors = (): MethodDecorator =>
  RouteConfig({ errorShape: 'openai' satisfies ErrorShape });

/**
 * A request without a route has no declaration. Under `/v1`, the base of OpenAI's clients, its
 * error has OpenAI's envelope.
 */
export const errorShapeOf = ({
  url,
  routeOptions,
}: Pick<FastifyRequest, 'url'> & {
  readonly routeOptions?: { readonly config?: { readonly errorShape?: ErrorShape } };
}): ErrorShape => {
  const declared = routeOptions?.config?.errorShape;
  if (declared) return declared;
  const [path = ''] = url.split('?', 1);
  return path === '/v1' || path.startsWith('/v1/') ? 'openai' : 'application';
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

export const envelope = (request: Parameters<typeof errorShapeOf>[0], failure: Failure): object =>
  errorShapeOf(request) === 'openai' ? openAiEnvelope(failure) : applicationEnvelope(failure);
