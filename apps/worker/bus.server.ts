import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { type Bus, type Consumer, type Delivery } from '#platform/bus/bus.port.js';
import { consumeWhenReachable } from '#platform/bus/consume-when-reachable.js';

/** The second argument of `@EventPattern(topic, pattern)`. */
export interface BusPattern {
  /** The consumer group, whose members share the messages of the topic. */
  readonly group: string;
  /** As in `ConsumerOptions`. */
  readonly attemptsMax?: number;
}

/**
 * Nest's transport strategy over the bus. Controller methods with `@EventPattern(topic, pattern)`
 * receive the deliveries of the topic, on any adapter, by the port's rules: the bus repeats a
 * delivery whose method rejects, and then makes it a dead letter with the reason. A controller
 * publishes its replies itself, so `@MessagePattern` is rejected.
 */
export class BusServer extends Server<never> implements CustomTransportStrategy {
  /** Otherwise Nest only logs the rejection of a method, and the bus settles the delivery. */
  override readonly propagatesEventHandlerErrors = true;
  readonly #closing = new AbortController();
  #consumers: ReadonlyMap<string, Consumer> = new Map();

  constructor(private readonly bus: Pick<Bus, 'consume'>) {
    super();
  }

  /**
   * Consumes the topics in the order of the methods, as soon as the broker answers, then calls the
   * callback.
   */
  listen(callback: (error?: unknown) => void): void {
    this.#join().then(
      () => callback(),
      (error: unknown) => callback(error),
    );
  }

  /** Stops consuming. Resolves when the current deliveries are handled. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.leave(() => true);
  }

  /** Stops consuming these topics only. Resolves when their current deliveries are handled. */
  async leave(isLeft: (topic: string) => boolean): Promise<void> {
    const left = [...this.#consumers].filter(([topic]) => isLeft(topic));
    this.#consumers = new Map([...this.#consumers].filter(([topic]) => !isLeft(topic)));
    await Promise.all(left.map(([, consumer]) => consumer.close()));
  }

  on(): never {
    throw new Error('the bus emits no events');
  }

  unwrap(): never {
    throw new Error('the process that opened the bus owns it');
  }

  async #join(): Promise<void> {
    for (const [topic, handler] of this.messageHandlers) {
      const { group, attemptsMax } = patternOf(topic, handler);
      const options = {
        topic,
        group,
        ...(attemptsMax !== undefined && { attemptsMax }),
        handle: (delivery: Delivery) => handled(handler, delivery),
      };
      const consumer = await consumeWhenReachable(this.bus, options, this.#closing.signal);
      this.#consumers = new Map([...this.#consumers, [topic, consumer]]);
    }
  }
}

const patternOf = (topic: string, { isEventHandler, extras }: MessageHandler): BusPattern => {
  if (!isEventHandler)
    throw new Error(`${topic}: @MessagePattern is not served, use @EventPattern`);
  const pattern = extras as Partial<BusPattern> | undefined;
  if (pattern?.group === undefined) throw new Error(`${topic}: the pattern has no group`);
  return { ...pattern, group: pattern.group };
};

const handled = async (handler: MessageHandler, delivery: Delivery): Promise<void> => {
  const result: unknown = await handler(delivery);
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
};
