import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';
import { type Logger } from 'pino';
import { closeConnectionsSoon } from './bounded-close.js';
import { nestLogger } from './nest.logger.js';

/** No route of these processes reads a body. */
const BODY_BYTES_MAX = 1_024;
/** The longest that a request may take to arrive. */
const REQUEST_MS_MAX = 60_000;

/**
 * The HTTP server of a process with health and metrics only. The server does not listen yet.
 */
export const createOperationsApplication = async (
  module: DynamicModule,
  logger: Logger,
): Promise<NestFastifyApplication> => {
  const adapter = new FastifyAdapter({
    forceCloseConnections: 'idle',
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: nestLogger(logger),
    // Nest throws a composition error instead of ending the process.
    abortOnError: false,
  });
  closeConnectionsSoon(adapter.getInstance<FastifyInstance>());
  await app.init();
  return app;
};
