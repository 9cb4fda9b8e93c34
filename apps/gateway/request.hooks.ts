import {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { type Logger } from 'pino';
import { type ArrivalLimit } from './bodies/arrival-limit.js';
import { type ClientErrors } from './errors/client-errors.js';
import { errorShapeAt } from './errors/envelope.js';
import { factsOf } from './errors/failure-log.js';
import { type MisdirectedRequests } from './errors/misdirected-request.js';
import { rejectForms } from './uploads/uploads.js';

/** Section 5.9 of the interface. */
export const SECURITY_HEADERS = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The parts of the gateway that see each request before its route and after its answer. */
export interface RequestWatchers {
  readonly clientErrors: ClientErrors;
  readonly arrivalLimit: ArrivalLimit;
  readonly misdirected: MisdirectedRequests;
  readonly countBytes: (request: FastifyRequest) => void;
  readonly logger: Logger;
}

/** One hook for all of them: each hook of Fastify costs its calls again. */
export const watchRequests = (
  fastify: FastifyInstance,
  { clientErrors, arrivalLimit, misdirected, countBytes, logger }: RequestWatchers,
): void => {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    const isForm = config.acceptsForms === true;
    clientErrors.began(request, reply, isForm);
    arrivalLimit.began(request, isForm);
    addHeaders(request, reply, config);
    if (misdirected.rejects(request, reply)) return;
    rejectForms(request, config);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    clientErrors.ended(request);
    arrivalLimit.ended(request);
    // A failure that has a line of its own needs no other.
    if (request.isFailureLogged !== true && logger.isLevelEnabled('info')) {
      logger.info(factsOf(request, reply), 'request');
    }
    countBytes(request);
    done();
  });
};

/**
 * The headers of every answer. A caller's own request id is returned beside the gateway's if it is
 * a UUID.
 */
export const addHeaders = (
  request: FastifyRequest,
  reply: FastifyReply,
  { errorShape = errorShapeAt(request.url) }: FastifyContextConfig = {},
): void => {
  void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
  // Anthropic's clients read the id by a name of its own.
  if (errorShape === 'anthropic') void reply.header('request-id', request.id);
  const theirs = request.headers['x-request-id'];
  if (typeof theirs === 'string' && UUID.test(theirs)) {
    void reply.header('x-client-request-id', theirs);
  }
};
