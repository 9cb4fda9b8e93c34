import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { type Bus, type Consumer, type Delivery } from '#platform/bus/bus.port.js';

/** What `@EventPattern(topic, extras)` says beside the topic. */
export interface BusPattern {
  /** `shared`: each message goes to one of the workers; `each`: every worker hears all. */
  readonly group: 'shared' | 'each';
  /** As `ConsumerOptions` has it. */
  readonly attemptsMax?: number;
}

export interface BusGroups {
  readonly shared: string;
  /** Of this process alone. */
  readonly each: string;
}

/**
 * Nest's way to our bus: the methods of a controller that carry `@EventPattern(topic, pattern)`
 * receive the deliveries of the topic, on any adapter, and the port's rules hold: what a method
 * rejects with is tried again and becomes a dead letter with its reason. Replies are the
 * controller's own to publish, so `@MessagePattern` is refused.
 */
export class BusServer extends Server<never> implements CustomTransportStrategy {
  /** Else Nest logs what a method rejects with and the bus takes it for done. */
  override readonly propagatesEventHandlerErrors = true;
  #consumers: readonly Consumer[] = [];

  constructor(
    private readonly bus: Pick<Bus, 'consume'>,
    private readonly groups: BusGroups,
  ) {
    super();
  }

  /** Resolves through the callback when every topic is consumed, in the order of the methods. */
  listen(callback: (error?: unknown) => void): void {
    this.#join().then(
      () => callback(),
      (error: unknown) => callback(error),
    );
  }

  /** Takes no further delivery; resolves when those that were taken are handled. */
  async close(): Promise<void> {
    const consumers = this.#consumers;
    this.#consumers = [];
    await Promise.all(consumers.map((consumer) => consumer.close()));
  }

  on(): never {
    throw new Error('a bus has no events of its own');
  }

  unwrap(): never {
    throw new Error('a bus is had from whoever opened it');
  }

  async #join(): Promise<void> {
    for (const [topic, handler] of this.messageHandlers) {
      const { group, attemptsMax } = patternOf(topic, handler);
      const consumer = await this.bus.consume({
        topic,
        group: this.groups[group],
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
