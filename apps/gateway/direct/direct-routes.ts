import { Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';

/**
 * Answers a request, or throws what the failure filter answers with.
 * @param readBody sets `request.body`; to be called once the credentials are known to be good
 */
export type DirectHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  readBody: DirectEdge['readBody'],
) => Promise<void>;

/** Whether a body is JSON without a further look at its content type. */
const isPlainJson = (type: string | undefined): boolean =>
  type === 'application/json' || type === 'application/json; charset=utf-8';

/** The services of the gateway for its direct routes. */
export interface DirectEdge {
  readonly readBody: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Answers a request with the failure of its handler. */
  readonly fail: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}

/** A route that may be answered without Nest's guards, interceptors and pipes. */
export interface DirectRoute {
  /** The declared addresses of the route in its controller, with POST. */
  readonly urls: readonly string[];
  /** Whether this request may; the others take the way through Nest. */
  readonly takes: (request: FastifyRequest) => boolean;
  /** Does all that the route declares: credentials, rates, the body, and the answer. */
  readonly handle: DirectHandler;
}

/**
 * The way of the busiest requests, behind the hooks of every request. Nest builds observables for
 * each interceptor and promises for the parameters of a request, and Fastify looks for the parser
 * of a content type. A route stays declared in its controller, which has its documentation and
 * takes the requests that need an interceptor or have another content type.
 */
@Injectable()
export class DirectRoutes {
  readonly #routes: DirectRoute[] = [];

  add(route: DirectRoute): void {
    this.#routes.push(route);
  }

  /** Changes a route that is being declared to Fastify, if it is one of these. */
  wrap(options: RouteOptions, edge: DirectEdge): void {
    const { method, url, onRequest = [] } = options;
    const route = this.#routes.find(({ urls }) => method === 'POST' && urls.includes(url));
    if (!route) return;
    const answerOrGoOn = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      if (isPlainJson(request.headers['content-type']) && route.takes(request)) {
        void answer(route, request, reply, edge);
      } else done();
    };
    options.onRequest = [onRequest, answerOrGoOn].flat();
  }
}

const answer = async (
  { handle }: DirectRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  { readBody, fail }: DirectEdge,
): Promise<void> => {
  try {
    await handle(request, reply, readBody);
  } catch (error) {
    fail(error, request, reply);
  }
};
