import {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { ErrorsOf } from '../errors/envelope.js';
import { mustBeJson } from '../errors/media-type.js';
import { URL_ENCODED } from './form-part.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@OpenAiUpload()` and `@FormUpload()`. */
    acceptsForms?: boolean;
  }
}

/** A method that reads a multipart form itself; its errors have OpenAI's envelope. */
export const OpenAiUpload = (): MethodDecorator => ErrorsOf('openai', { acceptsForms: true });

/** A method that reads a form of either type itself (`form-parts.ts`). */
export const FormUpload = (): MethodDecorator => ErrorsOf('application', { acceptsForms: true });

/**
 * Accepts forms where a route declares it; `rejectForms` rejects the others. Their parts are
 * streams: neither the limit of bodies nor memory concerns them. An answer that is given before the
 * form has arrived ends the connection.
 */
export const acceptUploads = (fastify: FastifyInstance): void => {
  fastify.addHook('onRoute', (route) => {
    if (route.config?.acceptsForms === true) route.onSend = dropUnread;
  });
};

const dropUnread = (
  { raw }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void => {
  if (!raw.complete) void reply.header('connection', 'close');
  done(null, payload);
};

/** The bodies of these requests are not read. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** @throws HttpFailure 415 for a form that the route does not accept */
export const rejectForms = (
  { headers, method }: FastifyRequest,
  { acceptsForms, formFields }: FastifyContextConfig,
): void => {
  if (acceptsForms === true || formFields === true) return;
  const type = headers['content-type']?.toLowerCase();
  if (type === undefined || BODILESS.has(method)) return;
  if (type.startsWith('multipart/') || type.startsWith(URL_ENCODED)) throw mustBeJson();
};
