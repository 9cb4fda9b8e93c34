import multipart from '@fastify/multipart';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { mustBeJson } from '../errors/media-type.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@OpenAiUpload()`. */
    acceptsForms?: boolean;
  }
}

/** Of a form; the handler of a route limits its files. */
const LIMITS = {
  fields: 16,
  fieldNameSize: 100,
  fieldSize: 1_000,
  files: 2,
  parts: 18,
  fileSize: Number.MAX_SAFE_INTEGER,
} as const;

/** A method that reads `request.parts()` itself; its errors have OpenAI's envelope. */
export const OpenAiUpload = (): MethodDecorator =>
  RouteConfig({ errorShape: 'openai', acceptsForms: true });

/**
 * Accepts `multipart/form-data` where a route declares it. The parts are streams: neither the limit
 * of bodies nor memory concerns them.
 */
export const acceptUploads = async (fastify: FastifyInstance): Promise<void> => {
  fastify.addHook('onRequest', refuseForms);
  await fastify.register(multipart, { limits: LIMITS });
};

/** The bodies of these requests are not read. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const refuseForms = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
  const type = request.headers['content-type'];
  const isForm = type?.startsWith('multipart/') === true && !BODILESS.has(request.method);
  const { acceptsForms, formFields } = request.routeOptions.config;
  if (isForm && acceptsForms !== true && formFields !== true) throw mustBeJson();
  done();
};
