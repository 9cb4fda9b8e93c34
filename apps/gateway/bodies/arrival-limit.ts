import { type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { type FastifyRequest } from 'fastify';
import { Deadline, Deadlines } from '#platform/runtime/commands/deadlines.js';
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

type OnTimeout = (error: ParseError, socket: Socket) => void;

/** By when a whole body must have arrived. */
class BodyLimit extends Deadline {
  constructor(
    private readonly message: IncomingMessage,
    private readonly onTimeout: OnTimeout,
  ) {
    super();
  }

  override onPassed(): void {
    if (!this.message.complete) this.onTimeout(new ArrivalTimeoutError(), this.message.socket);
  }
}

/** By when the next bytes of a form must have arrived. */
class FormLimit extends Deadline {
  readonly #before: number;

  constructor(
    private readonly request: FastifyRequest,
    private readonly onTimeout: OnTimeout,
    private readonly awaitNext: (request: FastifyRequest) => void,
  ) {
    super();
    this.#before = request.raw.socket.bytesRead;
  }

  override onPassed(): void {
    const { raw, caller } = this.request;
    if (raw.complete) return;
    const isStalled = raw.socket.bytesRead === this.#before || caller === undefined;
    if (isStalled) this.onTimeout(new ArrivalTimeoutError(), raw.socket);
    else this.awaitNext(this.request);
  }
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
    private readonly onTimeout: OnTimeout,
  ) {}

  began(request: FastifyRequest, isForm: boolean): void {
    if (!arrives(request.raw)) return;
    if (isForm) this.#awaitBytes(request);
    else {
      const limit = new BodyLimit(request.raw, this.onTimeout);
      request.arrivalLimit = limit;
      this.#deadlines.set(limit, this.limits.receiveMsMax);
    }
  }

  /** The request has its answer. The rest of a rejected body is discarded until the limit. */
  ended({ raw, arrivalLimit }: FastifyRequest): void {
    if (raw.complete && arrivalLimit) this.#deadlines.cancel(arrivalLimit);
  }

  readonly #awaitBytes = (request: FastifyRequest): void => {
    const limit = new FormLimit(request, this.onTimeout, this.#awaitBytes);
    request.arrivalLimit = limit;
    this.#deadlines.set(limit, this.limits.uploadIdleMsMax);
  };
}

/** Whether a body comes over a connection; a request that a test injects has none. */
const arrives = ({ headers, socket }: IncomingMessage): boolean =>
  socket instanceof Socket &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);
