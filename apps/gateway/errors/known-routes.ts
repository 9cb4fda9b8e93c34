import { type FastifyInstance } from 'fastify';

interface KnownRoute {
  readonly method: string;
  readonly segments: readonly string[];
}

/** The routes of a server, to tell a wrong method from an unknown path. */
export class KnownRoutes {
  readonly #routes: KnownRoute[] = [];

  /** Collects every route that is registered from now on. */
  collect(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      for (const one of [method].flat()) {
        this.#routes.push({ method: one, segments: url.split('/') });
      }
    });
  }

  /** The methods of the routes with this path, without repetition; empty for an unknown path. */
  methodsOf(path: string): readonly string[] {
    const segments = path.split('/');
    const methods = this.#routes
      .filter((route) => matches(route.segments, segments))
      .map(({ method }) => method);
    return [...new Set(methods)].sort();
  }
}

/** `:name` matches one segment, `*` the rest. */
const matches = (route: readonly string[], segments: readonly string[]): boolean => {
  for (const [n, expected] of route.entries()) {
    const segment = segments[n];
    if (segment === undefined) return false;
    if (expected === '*') return segment !== '';
    if (expected.startsWith(':') ? segment === '' : segment !== expected) return false;
  }
  return route.length === segments.length;
};
