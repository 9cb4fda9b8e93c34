import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { IMMUTABLE, sendZipped } from '../zipped-file.js';
import { consoleAsset, consolePage } from './console-files.js';

/** Nothing of another origin, nothing that a page contains, and no text that becomes a script. */
const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** Serves the console: one page at every path below `/console`, and its assets. */
export const serveConsole = (fastify: FastifyInstance): void => {
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    sendZipped(request, reply, await consolePage(), PAGE_HEADERS);
    return reply;
  };
  fastify.get('/console', page);
  fastify.get('/console/*', page);
  fastify.get<{ Params: { file: string } }>('/console/assets/:file', async (request, reply) => {
    const found = await consoleAsset(request.params.file);
    if (found) sendZipped(request, reply, found, IMMUTABLE);
    else reply.callNotFound();
    return reply;
  });
};
