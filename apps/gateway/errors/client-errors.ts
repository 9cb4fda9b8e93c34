import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type FastifyInstance } from 'fastify';
import { type Receptions } from '../bodies/receptions.js';
import { describeParseError, type ParseError, rejectMalformed } from './malformed-request.js';

/** Handles the errors of Node's HTTP server: bad bytes, and requests that arrive too slowly. */
export class ClientErrors {
  /** The answer that is due on a socket. */
  readonly #due = new WeakMap<Socket, ServerResponse>();
  /** Sockets whose request is a form, which its route reads itself. */
  readonly #forms = new WeakSet<Socket>();
  /** Sockets whose last request got its answer before its body had arrived. */
  readonly #answered = new WeakSet<Socket>();

  /** @param headers of an answer that no route gives */
  constructor(
    private readonly receptions: Receptions,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** Follows which sockets have a request without an answer. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ raw, routeOptions }, reply, done) => {
      this.#due.set(raw.socket, reply.raw);
      this.#answered.delete(raw.socket);
      if (routeOptions.config.acceptsForms === true) this.#forms.add(raw.socket);
      else this.#forms.delete(raw.socket);
      done();
    });
    fastify.addHook('onResponse', ({ raw }, _reply, done) => {
      this.#due.delete(raw.socket);
      if (!raw.complete) this.#answered.add(raw.socket);
      done();
    });
  }

  /**
   * A request has one answer. If its route has yet to answer, the route does so, in its envelope;
   * if it has answered, the connection closes without another answer.
   */
  readonly handle = (error: ParseError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || this.#answered.has(socket)) {
      socket.destroy();
      return;
    }
    const due = this.#due.get(socket);
    if (!due || this.#forms.has(socket)) {
      rejectMalformed(error, socket, this.headers);
      socket.destroySoon();
      return;
    }
    this.receptions.fail(socket, describeParseError(error));
    due.shouldKeepAlive = false;
    due.once('finish', () => socket.destroySoon());
  };
}
