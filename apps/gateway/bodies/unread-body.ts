import { type IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Ledger } from '#platform/ledger/ledger.port.js';
import { isRejection } from '#platform/ledger/paid-work/ledger-rejection.js';
import { FORM_TYPES, formTypeOf, parseFormFields } from './form-fields.js';
import { parseJson, withoutByteOrderMark } from './json-body.js';
import { type Receptions, type Sender, UNFUNDED_BODY_BYTES_MAX } from './receptions.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a body whose signature is in a header. */
    signedBody?: Buffer;
    /** The bytes of a JSON body, for a rig that takes it as it is. */
    sentBytes?: Buffer;
  }
}

/** By the headers of Standard Webhooks and of Stripe. */
const isSigned = ({ headers }: IncomingMessage): boolean =>
  headers['webhook-signature'] !== undefined || headers['stripe-signature'] !== undefined;

/** Stands for a JSON body until the guards of the route have admitted the request. */
export const UNREAD_BODY = Symbol('UnreadBody');

/**
 * Leaves JSON bodies and forms unread: bodies that a route has as fields until its guards have
 * admitted the request, bodies that a route reads itself to the route. Bodies of another type are
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

/** The reader of the bodies of requests. */
export interface BodyReading {
  readonly receptions: Receptions;
  readonly ledger: Pick<Ledger, 'demandFunds'>;
}

/** Reads and parses the body of a request that its guards have admitted. @throws HttpFailure */
export const readBody = async (
  { receptions, ledger }: BodyReading,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  try {
    const { caller, raw } = request;
    let sender: Sender = caller ? 'funded' : 'anonymous';
    const declared = raw.headers['content-length'];
    const declaredBytes = declared === undefined ? undefined : Number(declared);
    // A body within the limit of every account needs no look at the balance.
    if (caller && (declaredBytes ?? Infinity) > UNFUNDED_BODY_BYTES_MAX) {
      sender = await senderOf(caller, ledger);
    }
    const bytes = await receptions.receive(raw, sender, declaredBytes);
    if (isSigned(raw)) request.signedBody = bytes;
    const form = formTypeOf(request);
    if (form === undefined) {
      request.sentBytes = withoutByteOrderMark(bytes);
      request.body = parseJson(request.sentBytes);
    } else {
      request.body = await parseFormFields(bytes, form);
    }
  } catch (error) {
    // The rest of the body is not read.
    if (!request.raw.complete) void reply.header('connection', 'close');
    throw error;
  }
};

const senderOf = async ({ accountId }: Caller, ledger: BodyReading['ledger']): Promise<Sender> => {
  try {
    await ledger.demandFunds(accountId);
    return 'funded';
  } catch (error) {
    if (isRejection(error, 'insufficient_balance')) return 'unfunded';
    throw error;
  }
};
