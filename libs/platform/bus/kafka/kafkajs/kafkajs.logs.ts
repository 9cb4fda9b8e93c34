import kafkajs, { type logCreator } from 'kafkajs';
import { type Logger } from 'pino';

/**
 * Logs of kafkajs, one level lower: it logs every lost connection and every retry as an error, and
 * the bus logs the result.
 */
export const logCreatorOf =
  (logger: Logger): logCreator =>
  () =>
  ({ level, namespace, log }) => {
    const { message, timestamp: _, logger: __, ...fields } = log;
    const text = `${namespace}: ${message}`;
    if (level <= kafkajs.logLevel.WARN) logger.debug(fields, text);
    else logger.trace(fields, text);
  };
