import { type IncomingMessage } from 'node:http';
import { type DynamicModule } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { AnswerRecorder } from '#areas/statistics/answer-recorder.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { drawRequestId } from '#platform/runtime/commands/request-id.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { EVENT_STORE, LOG_PLACES } from '#platform/runtime/tokens.js';
import { DtoPipe } from './errors/dto.pipe.js';
import { envelope } from './errors/envelope.js';
import { FailureLog } from './errors/failure-log.js';
import { failureOf } from './errors/failure-of.js';
import { Failures } from './errors/failures.js';
import { FailureFilter } from './errors/failure.filter.js';
import { serveConsole } from './console/serve-console.js';
import { serveFrontPage } from './front-page.js';
import { serveGuide } from './guide/serve-guide.js';
import { countBytes } from './statistics/count-bytes.js';
import { allowOrigins } from './cors.js';
import { closeConnectionsSoon } from '../operations/bounded-close.js';
import { nestLogger } from '../operations/nest.logger.js';
import { ArrivalLimit, type ArrivalLimits } from './bodies/arrival-limit.js';
import { BodyInterceptor } from './bodies/body.interceptor.js';
import { type ReceptionLimits, Receptions } from './bodies/receptions.js';
import { leaveBodiesUnread, readBody } from './bodies/unread-body.js';
import { type DirectEdge, DirectRoutes } from './direct/direct-routes.js';
import { ClientErrors } from './errors/client-errors.js';
import { MisdirectedRequests } from './errors/misdirected-request.js';
import { serveOpenApi } from './openapi/openapi.js';
import { PositionInterceptor } from './time-travel/position.interceptor.js';
import { addHeaders, SECURITY_HEADERS, watchRequests } from './request.hooks.js';
import { UpgradeRoutes } from './upgrades/upgrade-routes.js';
import { acceptUploads } from './uploads/uploads.js';

/** The headers of a request have `receiveMsMax` too. */
export interface GatewayOptions extends ReceptionLimits, ArrivalLimits {
  /** The time limit for the arrival of a form. */
  readonly uploadMsMax: number;
  readonly trustProxy: number | readonly string[];
  /** The origins whose pages may call the gateway; none by default. */
  readonly corsOrigins?: readonly string[];
}

/** How often Node looks for requests that took too long to arrive. */
const CONNECTIONS_CHECKED_EVERY_MS = 500;

/**
 * The id of a request. Event ids derive from it, so the gateway draws it: with an id of its own
 * choice a caller could repeat the events of another.
 */
const requestId = (): string => drawRequestId(Date.now());

/** An error of Fastify before any hook. */
const answerFrameworkError = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  const failure = failureOf(error, { errors: {}, failures: [] });
  addHeaders(request, reply);
  void reply.status(failure.status).send(envelope(request, failure));
};

/** Counts hops from the socket. Fastify itself handles addresses and ranges. */
const trusted = (trustProxy: GatewayOptions['trustProxy']) =>
  typeof trustProxy === 'number'
    ? (_address: string, hop: number): boolean => hop < trustProxy
    : [...trustProxy];

const servePages = (fastify: FastifyInstance): void => {
  serveFrontPage(fastify);
  serveConsole(fastify);
  serveGuide(fastify);
};

/** Builds the HTTP edge of a composed module. The server does not listen yet. */
export const createGateway = async (
  module: DynamicModule,
  options: GatewayOptions,
  logger: Logger,
): Promise<NestFastifyApplication> => {
  const receptions = new Receptions(options);
  const clientErrors = new ClientErrors(receptions, SECURITY_HEADERS);
  let upgrades: UpgradeRoutes | null = null;
  const takesUpgrade = (request: IncomingMessage): boolean => upgrades?.takes(request) === true;
  const adapter = new FastifyAdapter({
    ...arrivalLimits(options, takesUpgrade),
    trustProxy: trusted(options.trustProxy),
    genReqId: requestId,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 512 },
    clientErrorHandler: clientErrors.handle,
    frameworkErrors: answerFrameworkError,
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: nestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const origins = options.corsOrigins ?? [];
  allowOrigins(app, origins);
  const routes = app.get(UpgradeRoutes, { strict: false });
  routes.watch(fastify.server, origins);
  upgrades = routes;
  leaveBodiesUnread(fastify);
  watchRequests(fastify, {
    clientErrors,
    arrivalLimit: new ArrivalLimit(options, clientErrors.handle),
    misdirected: new MisdirectedRequests(fastify),
    countBytes: countBytes(app.get(AnswerRecorder, { strict: false })),
    logger,
  });
  const failureLog = app.get(FailureLog, { strict: false });
  fastify.addHook('onClose', (_, done) => {
    failureLog.close();
    done();
  });
  fastify.addHook('preClose', (done) => {
    receptions.close();
    done();
  });
  closeConnectionsSoon(fastify);
  const reading = { receptions, ledger: app.get(Ledger, { strict: false }) };
  app.useGlobalInterceptors(new BodyInterceptor(reading));
  if (app.get<EventStore>(EVENT_STORE, { strict: false }).isSparse === true) {
    const places = app.get<LogPlaces>(LOG_PLACES, { strict: false });
    app.useGlobalInterceptors(new PositionInterceptor(places, app.get(Reflector)));
  }
  acceptUploads(fastify);
  app.useGlobalPipes(new DtoPipe());
  const filter = new FailureFilter(app.get(Failures, { strict: false }), failureLog);
  app.useGlobalFilters(filter);
  const directRoutes = app.get(DirectRoutes, { strict: false });
  const edge: DirectEdge = {
    readBody: (request, reply) => readBody(reading, request, reply),
    fail: (error, request, reply) => filter.answer(error, request, reply),
  };
  fastify.addHook('onRoute', (route) => directRoutes.wrap(route, edge));
  servePages(fastify);
  serveOpenApi(app, fastify);
  await app.init();
  await fastify.ready();
  return app;
};

/**
 * Node ends a request that does not arrive in time with a client error.
 * @param takesUpgrade whether a request leaves HTTP; Node answers others as plain requests
 */
const arrivalLimits = (
  { receiveMsMax, uploadMsMax }: GatewayOptions,
  takesUpgrade: (request: IncomingMessage) => boolean,
) => ({
  requestTimeout: uploadMsMax,
  http: {
    requestTimeout: uploadMsMax,
    headersTimeout: receiveMsMax,
    connectionsCheckingInterval: CONNECTIONS_CHECKED_EVERY_MS,
    shouldUpgradeCallback: takesUpgrade,
  },
});
