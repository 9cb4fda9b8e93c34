import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type FailureDescription } from '#platform/runtime/areas/failure.js';
import { envelope } from './envelope.js';
import { failure } from './failure-of.js';
import { KnownRoutes } from './known-routes.js';

/**
 * Rejects requests that no route should see: with several `Host` headers, of which a proxy may have
 * read another one, with an expectation other than `100-continue`, and with a method that their
 * path does not have.
 */
export class MisdirectedRequests {
  readonly #routes = new KnownRoutes();
  readonly #expectant: WeakSet<IncomingMessage>;

  /** Routes that are registered from now on are known. */
  constructor(fastify: FastifyInstance) {
    this.#routes.collect(fastify);
    this.#expectant = collectExpectant(fastify);
  }

  /** Whether it has answered the request, which no route then sees. */
  rejects(request: FastifyRequest, reply: FastifyReply): boolean {
    if (hasSeveralHosts(request)) send(request, reply, SEVERAL_HOSTS);
    else if (request.headers.expect !== undefined && this.#expectant.has(request.raw))
      send(request, reply, EXPECTATION);
    else return request.is404 && this.#rejectsPath(request, reply);
    return true;
  }

  #rejectsPath(request: FastifyRequest, reply: FastifyReply): boolean {
    const [path = ''] = request.url.split('?', 1);
    const methods = this.#routes.methodsOf(path);
    if (methods.length > 0) {
      void reply.header('allow', methods.join(', '));
      send(request, reply, wrongMethod(request.method, methods));
      return true;
    }
    if (!path.startsWith(TWICE)) return false;
    send(request, reply, prefixTwice(request.method, path.slice(PREFIX.length)));
    return true;
  }
}

/** Node itself answers an unknown expectation without a body and without the security headers. */
const collectExpectant = ({ server }: FastifyInstance): WeakSet<IncomingMessage> => {
  const expectant = new WeakSet<IncomingMessage>();
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    expectant.add(request);
    server.emit('request', request, response);
  });
  return expectant;
};

const EXPECTATION: FailureDescription = {
  status: 417,
  code: 'expectation_failed',
  message: 'the header Expect may only be 100-continue',
};

const SEVERAL_HOSTS: FailureDescription = {
  status: 400,
  code: 'malformed_request',
  message: 'the request has more than one Host header',
};

const wrongMethod = (method: string, methods: readonly string[]): FailureDescription => ({
  status: 405,
  code: 'method_not_allowed',
  message: `this path does not have the method ${method}, only ${methods.join(', ')}`,
});

/** The base URL of a client ends in `/v1`, and it adds the same prefix to its paths. */
const PREFIX = '/v1';
const TWICE = `${PREFIX}${PREFIX}/`;

const prefixTwice = (method: string, path: string): FailureDescription => ({
  status: 404,
  code: 'not_found',
  message: `this path has ${PREFIX} twice, and the base URL ends in it: try ${method} ${path}`,
});

/** Node keeps the first of several `Host` headers, and all of them in `rawHeaders`. */
const hasSeveralHosts = ({ raw: { rawHeaders } }: FastifyRequest): boolean => {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] ?? '';
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
};

const HOST = 'host';

const send = (
  request: FastifyRequest,
  reply: FastifyReply,
  description: FailureDescription,
): void => {
  void reply.status(description.status).send(envelope(request, failure(description)));
};
