import { randomUUID } from 'node:crypto';
import { type Socket } from 'node:net';
import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { DtoPipe } from './errors/dto.pipe.js';
import { envelope } from './errors/envelope.js';
import { failureOf } from './errors/failure-of.js';
import { HttpFailure } from './errors/http-failure.js';
import { Failures } from './errors/failures.js';
import { FailureFilter } from './errors/failure.filter.js';
import { refuseMalformed } from './errors/malformed-request.js';
import { nestLogger } from '../operations/nest.logger.js';
import { serveOpenApi } from './openapi/openapi.js';

export interface GatewayOptions {
  readonly bodyLimitBytes: number;
  readonly trustProxy: number | readonly string[];
}

/** Section 5.9 of the interface. */
const SECURITY_HEADERS = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * The id of a request. Event ids derive from it, so the gateway draws it: with an id of its own
 * choice a caller could repeat the events of another.
 */
const requestId = (): string => randomUUID();

/** A caller's own request id is returned beside the gateway's if it is a UUID. */
const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
  const theirs = request.headers['x-request-id'];
  if (typeof theirs === 'string' && UUID.test(theirs)) {
    void reply.header('x-client-request-id', theirs);
  }
  done();
};

/**
 * Fastify's JSON parser, which rejects prototype poisoning, with the gateway's error message. An
 * empty body counts as no body: some clients send the content type without one.
 */
const readJson = (fastify: FastifyInstance): void => {
  fastify.removeContentTypeParser('text/plain');
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') {
      done(null, undefined);
      return;
    }
    void parse(request, body as string, (error, value) => {
      done(error && invalidJson(error), value);
    });
  });
};

const invalidJson = (error: Error): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_json',
    message: `the body is not JSON: ${error.message}`,
  });

/** Logs one line per request, without its query, headers and body, which may contain secrets. */
const requestLog =
  (logger: Logger) =>
  ({ id: requestId, method, url }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (logger.isLevelEnabled('info')) {
      const [path] = url.split('?', 1);
      const { statusCode: status, elapsedTime: elapsedMs } = reply;
      logger.info({ requestId, method, path, status, elapsedMs }, 'request');
    }
    done();
  };

/** Counts hops from the socket. Fastify itself handles addresses and ranges. */
const trusted = (trustProxy: GatewayOptions['trustProxy']) =>
  typeof trustProxy === 'number'
    ? (_address: string, hop: number): boolean => hop < trustProxy
    : [...trustProxy];

/** Builds the HTTP edge of a composed module. The server does not listen yet. */
export const createGateway = async (
  module: DynamicModule,
  { bodyLimitBytes, trustProxy }: GatewayOptions,
  logger: Logger,
): Promise<NestFastifyApplication> => {
  const adapter = new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    trustProxy: trusted(trustProxy),
    genReqId: requestId,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 512 },
    clientErrorHandler: (error: Error, socket: Socket) => {
      refuseMalformed(error, socket, SECURITY_HEADERS);
    },
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const failure = failureOf(error, { errors: {}, failures: [] });
      void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
      void reply.status(failure.status).send(envelope(request, failure));
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: nestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  readJson(fastify);
  fastify.addHook('onRequest', onRequest);
  fastify.addHook('onResponse', requestLog(logger));
  app.useGlobalPipes(new DtoPipe());
  app.useGlobalFilters(new FailureFilter(app.get(Failures, { strict: false }), logger));
  serveOpenApi(app, fastify);
  await app.init();
  await fastify.ready();
  return app;
};
