import { type LoggerService } from '@nestjs/common';
import { type Logger } from 'pino';

const asText = (message: unknown): string =>
  message instanceof Error ? message.message : String(message);

/** Passes Nest's messages to the logger of the process. Start-up messages have level `debug`. */
export const nestLogger = (logger: Logger): LoggerService => ({
  log: (message: unknown) => logger.debug(asText(message)),
  debug: (message: unknown) => logger.debug(asText(message)),
  verbose: (message: unknown) => logger.debug(asText(message)),
  warn: (message: unknown) => logger.warn(asText(message)),
  error: (message: unknown) =>
    message instanceof Error ? logger.error(message) : logger.error(asText(message)),
  fatal: (message: unknown) => logger.fatal(asText(message)),
});
