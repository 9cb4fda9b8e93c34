import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { eventually as holds } from '#platform/kernel/eventually.fixture.js';
import { type BusErrorCode } from './bus.errors.js';
import {
  type Bus,
  type BusMessage,
  type Consumer,
  type Delivery,
  type Listener,
} from './bus.port.js';

/** Polls the condition: a broker sends no notification. @throws Error with its name */
export const eventually = (
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> =>
  holds(condition).catch((cause: unknown) => {
    throw new Error(what, { cause });
  });

export const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const message = (n: number, key = 'job-1', data: unknown = { n }): BusMessage => ({
  key,
  id: idOf(n),
  headers: { type: 'task', note: 'ü' },
  data,
});

export const numberOf = ({ data }: BusMessage): number => (data as { readonly n: number }).n;

export const busError = (code: BusErrorCode): unknown =>
  expect.objectContaining({ name: 'BusError', code });

export const fail = (reason = 'out of memory'): never => {
  throw new Error(reason);
};

/** A bus and a topic of its own for each test, since a broker keeps its topics. */
export class BusFixture {
  #bus: Bus | undefined;
  topic = '';

  /** Create it in a `describe`. It opens the bus before each test and closes it afterwards. */
  constructor(open: () => Promise<Bus>) {
    beforeEach(async () => {
      this.topic = `contract.${randomUUID()}`;
      this.#bus = await open();
    });
    afterEach(() => this.bus.close());
  }

  get bus(): Bus {
    if (this.#bus === undefined) throw new Error('the bus is opened before each test');
    return this.#bus;
  }

  /** Joins a group and keeps its deliveries. */
  async collect(
    group = 'workers',
    handle: (delivery: Delivery) => void | Promise<void> = () => undefined,
    attemptsMax = 3,
  ): Promise<{ readonly consumer: Consumer; readonly deliveries: Delivery[] }> {
    const deliveries: Delivery[] = [];
    const consumer = await this.bus.consume({
      topic: this.topic,
      group,
      attemptsMax,
      handle: async (delivery) => {
        deliveries.push(delivery);
        await handle(delivery);
      },
    });
    return { consumer, deliveries };
  }

  /** Listens to the topic and keeps its messages and failures. */
  async hear(handle: (message: BusMessage) => void = () => undefined): Promise<{
    readonly listener: Listener;
    readonly heard: BusMessage[];
    readonly failures: unknown[];
  }> {
    const heard: BusMessage[] = [];
    const failures: unknown[] = [];
    const listener = await this.bus.listen({
      topic: this.topic,
      handle: (message) => {
        heard.push(message);
        handle(message);
      },
      onFailed: (failure) => void failures.push(failure),
    });
    return { listener, heard, failures };
  }
}
