import multipart from '@fastify/multipart';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { mustBeJson } from '../errors/media-type.js';
import { URL_ENCODED } from './form-part.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@OpenAiUpload()` and `@FormUpload()`. */
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

/** A method that reads a form of either type itself (`form-parts.ts`). */
export const FormUpload = (): MethodDecorator =>
  RouteConfig({ errorShape: 'application', acceptsForms: true });

/**
 * Accepts `multipart/form-data` where a route declares it. The parts are streams: neither the limit
 * of bodies nor memory concerns them.
 */
export const acceptUploads = async (fastify: FastifyInstance): Promise<void> => {
  fastify.addHook('onRequest', refuseForms);
  await fastify.register(multipart, { limits: LIMITS });
};

const FORM_TYPES = ['multipart/', URL_ENCODED];
/** The bodies of these requests are not read. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const refuseForms = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
  const type = request.headers['content-type']?.toLowerCase();
  const isOfForm = FORM_TYPES.some((one) => type?.startsWith(one) === true);
  const isForm = isOfForm && !BODILESS.has(request.method);
  const { acceptsForms, formFields } = request.routeOptions.config;
  if (isForm && acceptsForms !== true && formFields !== true) throw mustBeJson();
  done();
};
