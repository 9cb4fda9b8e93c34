import { type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { type FastifyInstance } from 'fastify';
import { type Deadline, Deadlines } from '#platform/runtime/deadlines.js';
import { type ParseError } from '../errors/malformed-request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** By when the body of the request must have arrived. */
    arrivalLimit?: Deadline;
  }
}

/** As Node reports a request that did not arrive within the limit of its server. */
class ArrivalTimeoutError extends Error implements ParseError {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

/**
 * The time limit for the body of a request that is not a form. Node has one limit for all requests
 * of a server, which here is that of an upload.
 */
export class ArrivalLimit {
  readonly #deadlines = new Deadlines();

  /** @param onTimeout answers or closes, as for an error of Node's server */
  constructor(
    private readonly receiveMsMax: number,
    private readonly onTimeout: (error: ParseError, socket: Socket) => void,
  ) {}

  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const { raw, routeOptions } = request;
      if (arrives(raw) && routeOptions.config.acceptsForms !== true) {
        request.arrivalLimit = this.#start(raw);
      }
      done();
    });
    fastify.addHook('onResponse', ({ raw, arrivalLimit }, _reply, done) => {
      // The rest of a rejected body is discarded until the limit.
      if (raw.complete && arrivalLimit) this.#deadlines.cancel(arrivalLimit);
      done();
    });
  }

  #start(message: IncomingMessage): Deadline {
    const expire = (): void => {
      if (!message.complete) this.onTimeout(new ArrivalTimeoutError(), message.socket);
    };
    return this.#deadlines.set(this.receiveMsMax, expire);
  }
}

/** Whether a body comes over a connection; a request that a test injects has none. */
const arrives = ({ headers, socket }: IncomingMessage): boolean =>
  socket instanceof Socket &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);
