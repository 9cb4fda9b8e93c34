import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Receptions } from '../bodies/receptions.js';
import { describeParseError, type ParseError, rejectMalformed } from './malformed-request.js';

/** The last request on a socket. */
interface LastRequest {
  /** The answer that is due; null once it was given. */
  due: ServerResponse | null;
  /** Whether it is a form, which its route reads itself. */
  isForm: boolean;
  /** Whether it got its answer before its body had arrived. */
  isCutShort: boolean;
}

/** Handles the errors of Node's HTTP server: bad bytes, and requests that arrive too slowly. */
export class ClientErrors {
  readonly #last = new WeakMap<Socket, LastRequest>();

  /** @param headers of an answer that no route gives */
  constructor(
    private readonly receptions: Receptions,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** From now on the socket has a request without an answer. */
  began({ raw: { socket } }: FastifyRequest, { raw: due }: FastifyReply, isForm: boolean): void {
    const last = this.#lastOn(socket);
    last.due = due;
    last.isForm = isForm;
    last.isCutShort = false;
  }

  /** The request has its answer. */
  ended({ raw }: FastifyRequest): void {
    const last = this.#lastOn(raw.socket);
    last.due = null;
    if (!raw.complete) last.isCutShort = true;
  }

  /**
   * A request has one answer. If its route has yet to answer, the route does so, in its envelope;
   * if it has answered, the connection closes without another answer.
   */
  readonly handle = (error: ParseError, socket: Socket): void => {
    const { due, isForm, isCutShort } = this.#lastOn(socket);
    if (error.code === 'ECONNRESET' || isCutShort) {
      socket.destroy();
      return;
    }
    if (!due || isForm) {
      rejectMalformed(error, socket, this.headers);
      socket.destroySoon();
      return;
    }
    this.receptions.fail(socket, describeParseError(error));
    due.shouldKeepAlive = false;
    due.once('finish', () => socket.destroySoon());
  };

  #lastOn(socket: Socket): LastRequest {
    const known = this.#last.get(socket);
    if (known) return known;
    const last = { due: null, isForm: false, isCutShort: false };
    this.#last.set(socket, last);
    return last;
  }
}
