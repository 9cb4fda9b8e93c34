import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { nestLogger } from './nest.logger.js';

/**
 * The HTTP server of a process with health and metrics only. The server does not listen yet.
 */
export const createOperationsApplication = async (
  module: DynamicModule,
  logger: Logger,
): Promise<NestFastifyApplication> => {
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    new FastifyAdapter({ forceCloseConnections: 'idle' }),
    // Nest throws a composition error instead of ending the process.
    { logger: nestLogger(logger), abortOnError: false },
  );
  await app.init();
  return app;
};
