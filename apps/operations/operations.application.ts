import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { nestLogger } from './nest.logger.js';

/**
 * The HTTP server of a process whose callers are operators only: health and metrics. Nothing
 * listens yet.
 */
export const createOperationsApplication = async (
  module: DynamicModule,
  logger: Logger,
): Promise<NestFastifyApplication> => {
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    new FastifyAdapter({ forceCloseConnections: 'idle' }),
    // Throws what cannot be composed instead of ending the process.
    { logger: nestLogger(logger), abortOnError: false },
  );
  await app.init();
  return app;
};
