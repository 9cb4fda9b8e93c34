import { describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { type Listener } from '#platform/bus/bus.port.js';
import { listenWhenReachable } from './listen-when-reachable.js';

const logger = pino({ level: 'silent' });

const listening = (listen: () => Promise<Listener>, signal: AbortSignal) =>
  listenWhenReachable({ bus: { listen }, topic: 'asks', handle: () => undefined, logger }, signal);

describe('listening to a topic when the bus can be reached', () => {
  it('is tried again after a failure', async () => {
    const listener = { close: () => Promise.resolve() };
    const listen = jest
      .fn<() => Promise<Listener>>()
      .mockRejectedValueOnce(new Error('the broker is away'))
      .mockResolvedValue(listener);
    await expect(listening(listen, new AbortController().signal)).resolves.toBe(listener);
    expect(listen).toHaveBeenCalledTimes(2);
  });

  it('ends with the signal while the bus still tries, and closes what comes later', async () => {
    const stopping = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Listener>();
    const found = listening(() => promise, stopping.signal);
    stopping.abort();
    await expect(found).resolves.toBeNull();
    const close = jest.fn(() => Promise.resolve());
    resolve({ close });
    await promise;
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('ends before the first attempt when the signal has aborted', async () => {
    const listen = jest.fn<() => Promise<Listener>>();
    await expect(listening(listen, AbortSignal.abort())).resolves.toBeNull();
    expect(listen).not.toHaveBeenCalled();
  });
});
