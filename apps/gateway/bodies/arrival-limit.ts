import { type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { type FastifyInstance } from 'fastify';
import { type ParseError } from '../errors/malformed-request.js';

/** As Node reports a request that did not arrive within the limit of its server. */
class ArrivalTimeoutError extends Error implements ParseError {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

/**
 * The time limit for the body of a request that is not a form. Node has one limit for all requests
 * of a server, which here is that of an upload.
 */
export class ArrivalLimit {
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

  /** @param onTimeout answers or closes, as for an error of Node's server */
  constructor(
    private readonly receiveMsMax: number,
    private readonly onTimeout: (error: ParseError, socket: Socket) => void,
  ) {}

  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ raw, routeOptions }, _reply, done) => {
      if (arrives(raw) && routeOptions.config.acceptsForms !== true) this.#start(raw);
      done();
    });
    fastify.addHook('onResponse', ({ raw }, _reply, done) => {
      // The rest of a rejected body is discarded until the limit.
      if (raw.complete) clearTimeout(this.#timers.get(raw));
      done();
    });
  }

  #start(message: IncomingMessage): void {
    const expire = (): void => {
      if (!message.complete) this.onTimeout(new ArrivalTimeoutError(), message.socket);
    };
    this.#timers.set(message, setTimeout(expire, this.receiveMsMax).unref());
  }
}

/** Whether a body comes over a connection; a request that a test injects has none. */
const arrives = ({ headers, socket }: IncomingMessage): boolean =>
  socket instanceof Socket &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);
