import { type Logger } from 'pino';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';

export interface LazyListenerOptions {
  readonly bus: Pick<Bus, 'listen'>;
  readonly topic: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly handle: (message: BusMessage) => void;
}

/** Listens to a topic from the first time that it is needed. */
export class LazyListener {
  #listening: Promise<Listener> | undefined;

  constructor(private readonly options: LazyListenerOptions) {}

  /** Resolves when the topic is heard. What failed is tried again by the next. @throws BusError */
  async open(): Promise<void> {
    this.#listening ??= this.#listen();
    await this.#listening;
  }

  async close(): Promise<void> {
    const listener = await this.#listening?.catch(() => undefined);
    await listener?.close();
  }

  #listen(): Promise<Listener> {
    const { bus, topic, logger, handle } = this.options;
    const onFailed = (error: unknown): void => {
      logger.warn({ err: error, topic }, 'a message of this topic could not be handled');
    };
    const listening = bus.listen({ topic, handle, onFailed });
    listening.catch(() => (this.#listening = undefined));
    return listening;
  }
}
