import kafkajs, { type logCreator } from 'kafkajs';
import { type Logger } from 'pino';

/**
 * What kafkajs says, one level lower: it calls every connection lost and every retry an error, and
 * the bus tells what came of it.
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
