import { type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { type FastifyRequest } from 'fastify';
import { type Deadline, Deadlines } from '#platform/runtime/commands/deadlines.js';
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

export interface ArrivalLimits {
  /** For the whole body of a request that is not a form. */
  readonly receiveMsMax: number;
  /** For the next bytes of a form, and for the credentials of its caller. */
  readonly uploadIdleMsMax: number;
}

/**
 * The time limits for the body of a request. Node has one limit for all requests of a server, which
 * here is the limit of an upload.
 */
export class ArrivalLimit {
  readonly #deadlines = new Deadlines();

  /** @param onTimeout answers or closes, as for an error of Node's server */
  constructor(
    private readonly limits: ArrivalLimits,
    private readonly onTimeout: (error: ParseError, socket: Socket) => void,
  ) {}

  began(request: FastifyRequest, isForm: boolean): void {
    if (!arrives(request.raw)) return;
    if (isForm) this.#awaitBytes(request);
    else request.arrivalLimit = this.#start(request.raw);
  }

  /** The request has its answer. The rest of a rejected body is discarded until the limit. */
  ended({ raw, arrivalLimit }: FastifyRequest): void {
    if (raw.complete && arrivalLimit) this.#deadlines.cancel(arrivalLimit);
  }

  #start(message: IncomingMessage): Deadline {
    const expire = (): void => {
      if (!message.complete) this.onTimeout(new ArrivalTimeoutError(), message.socket);
    };
    return this.#deadlines.set(this.limits.receiveMsMax, expire);
  }

  #awaitBytes(request: FastifyRequest): void {
    const { socket } = request.raw;
    const before = socket.bytesRead;
    request.arrivalLimit = this.#deadlines.set(this.limits.uploadIdleMsMax, () => {
      if (request.raw.complete) return;
      const isStalled = socket.bytesRead === before || request.caller === undefined;
      if (isStalled) this.onTimeout(new ArrivalTimeoutError(), socket);
      else this.#awaitBytes(request);
    });
  }
}

/** Whether a body comes over a connection; a request that a test injects has none. */
const arrives = ({ headers, socket }: IncomingMessage): boolean =>
  socket instanceof Socket &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);
