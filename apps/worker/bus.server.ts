import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { type Bus, type Consumer, type Delivery } from '#platform/bus/bus.port.js';

/** The second argument of `@EventPattern(topic, pattern)`. */
export interface BusPattern {
  /** The consumer group; its members share the messages of the topic. */
  readonly group: string;
  /** As in `ConsumerOptions`. */
  readonly attemptsMax?: number;
}

/**
 * Nest's transport strategy over the bus. Controller methods with `@EventPattern(topic, pattern)`
 * receive the deliveries of the topic, on any adapter, by the port's rules: a delivery whose method
 * rejects is tried again and becomes a dead letter with its reason. A controller publishes its
 * replies itself, so `@MessagePattern` is refused.
 */
export class BusServer extends Server<never> implements CustomTransportStrategy {
  /** Without it Nest logs the rejection of a method, and the bus counts the delivery as handled. */
  override readonly propagatesEventHandlerErrors = true;
  #consumers: readonly Consumer[] = [];

  constructor(private readonly bus: Pick<Bus, 'consume'>) {
    super();
  }

  /** Resolves through the callback when every topic is consumed, in the order of the methods. */
  listen(callback: (error?: unknown) => void): void {
    this.#join().then(
      () => callback(),
      (error: unknown) => callback(error),
    );
  }

  /** Takes no further delivery; resolves when the ones under way are handled. */
  async close(): Promise<void> {
    const consumers = this.#consumers;
    this.#consumers = [];
    await Promise.all(consumers.map((consumer) => consumer.close()));
  }

  on(): never {
    throw new Error('a bus has no events of its own');
  }

  unwrap(): never {
    throw new Error('the process that opened the bus holds it');
  }

  async #join(): Promise<void> {
    for (const [topic, handler] of this.messageHandlers) {
      const { group, attemptsMax } = patternOf(topic, handler);
      const consumer = await this.bus.consume({
        topic,
        group,
        ...(attemptsMax !== undefined && { attemptsMax }),
        handle: (delivery) => handled(handler, delivery),
      });
      this.#consumers = [...this.#consumers, consumer];
    }
  }
}

const patternOf = (topic: string, { isEventHandler, extras }: MessageHandler): BusPattern => {
  if (!isEventHandler)
    throw new Error(`${topic}: @MessagePattern is not served, use @EventPattern`);
  const pattern = extras as Partial<BusPattern> | undefined;
  if (pattern?.group === undefined) throw new Error(`${topic}: its pattern names no group`);
  return { ...pattern, group: pattern.group };
};

const handled = async (handler: MessageHandler, delivery: Delivery): Promise<void> => {
  const result: unknown = await handler(delivery);
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
};
