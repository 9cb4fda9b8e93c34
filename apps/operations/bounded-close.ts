import { type FastifyInstance } from 'fastify';

/** How long a closing server waits for its last answers. */
const CLOSE_MS_MAX = 2_000;

/**
 * Bounds the close of a server. Without it a connection with an unfinished request, or a caller
 * that does not read its answer, keeps the process alive.
 */
export const closeConnectionsSoon = (fastify: FastifyInstance): void => {
  fastify.addHook('preClose', (done) => {
    const { server } = fastify;
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS_MAX);
    server.once('close', () => clearTimeout(timer));
    done();
  });
};
