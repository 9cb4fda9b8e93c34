import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { BUS_BACK_OFF } from '#platform/bus/back-off.js';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import { backOffMs } from '#platform/kernel/back-off.js';

export interface ListenOptions {
  readonly bus: Pick<Bus, 'listen'>;
  /** Its messages are for this process, or for every process. */
  readonly topic: string;
  readonly handle: (message: BusMessage) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Listens to a topic as soon as the bus can be reached, so that a process starts without its broker
 * and never waits for the end of an earlier process of its name. Null as soon as the signal aborts,
 * so that a process stops without its broker, too. A message that is lost meanwhile is repeated: an
 * ask by the next ask, an assignment by the next attempt.
 */
export const listenWhenReachable = async (
  { bus, topic, handle, logger }: ListenOptions,
  signal: AbortSignal,
): Promise<Listener | null> => {
  const onFailed = (failure: unknown): void => {
    logger.warn({ err: failure, topic }, 'a message of this topic could not be handled');
  };
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      return await untilAborted(bus.listen({ topic, handle, onFailed }), signal);
    } catch (error) {
      if (failures === 0) logger.warn({ err: error, topic }, 'a topic cannot be reached yet');
      const pauseMs = backOffMs(BUS_BACK_OFF, failures + 1, Math.random());
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
};

/** A bus keeps trying after the signal; a listener that comes then is closed. */
const untilAborted = async (
  listening: Promise<Listener>,
  signal: AbortSignal,
): Promise<Listener | null> => {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const abort = (): void => resolve(null);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const listener = await Promise.race([listening, aborted]);
    if (listener === null) listening.then((late) => late.close()).catch(() => undefined);
    return listener;
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
