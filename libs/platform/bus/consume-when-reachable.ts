import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs } from '#platform/kernel/back-off.js';
import { BUS_BACK_OFF } from './back-off.js';
import { BusError } from './bus.errors.js';
import { type Bus, type Consumer, type ConsumerOptions } from './bus.port.js';

/**
 * Joins a group as soon as the broker answers: a process may start before its broker.
 * @throws BusError for any other failure; AbortError
 */
export const consumeWhenReachable = async (
  bus: Pick<Bus, 'consume'>,
  options: ConsumerOptions,
  signal: AbortSignal,
): Promise<Consumer> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await bus.consume(options);
    } catch (error) {
      const isAway = error instanceof BusError && error.code === 'bus-unavailable';
      if (!isAway || signal.aborted) throw error;
    }
    await sleep(backOffMs(BUS_BACK_OFF, attempt, Math.random()), undefined, { signal });
  }
};
