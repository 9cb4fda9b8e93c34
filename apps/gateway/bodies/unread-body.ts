import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { FORM_TYPES, formTypeOf, parseFormFields } from './form-fields.js';
import { parseJson } from './json-body.js';
import { type Receptions } from './receptions.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a body whose signature is in a header. */
    signedBody?: Buffer;
  }
}

/** The header of Standard Webhooks. */
const SIGNATURE = 'webhook-signature';

/** Stands for a JSON body until the guards of the route have admitted the request. */
export const UNREAD_BODY = Symbol('UnreadBody');

/**
 * Leaves JSON bodies and forms unread: those that a route has as fields until its guards have
 * admitted the request, those that a route reads itself to the route. Bodies of another type are
 * rejected, as Fastify does; forms that the route does not accept were (`acceptUploads`).
 */
export const leaveBodiesUnread = (fastify: FastifyInstance): void => {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (_request, _payload, done) => {
    done(null, UNREAD_BODY);
  });
  fastify.addContentTypeParser([...FORM_TYPES], (request, _payload, done) => {
    done(null, formTypeOf(request) === undefined ? undefined : UNREAD_BODY);
  });
};

/** Whether the body has yet to be received: JSON, or a form whose fields the route accepts. */
export const isUnread = (request: FastifyRequest): boolean =>
  request.body === UNREAD_BODY || formTypeOf(request) !== undefined;

/** Reads and parses the body of a request that its guards have admitted. @throws HttpFailure */
export const readBody = async (
  receptions: Receptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const isCaller = request.caller !== undefined;
  try {
    const bytes = await receptions.receive(request.raw, isCaller);
    if (request.headers[SIGNATURE] !== undefined) request.signedBody = bytes;
    const form = formTypeOf(request);
    request.body = form === undefined ? parseJson(bytes) : await parseFormFields(bytes, form);
  } catch (error) {
    // The rest of the body is not read.
    if (!request.raw.complete) void reply.header('connection', 'close');
    throw error;
  }
};
