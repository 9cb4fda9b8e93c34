import { type Bus, type BusHealth, type BusMessage } from '#platform/bus/bus.port.js';
import { type Publication } from './projector.protocol.js';

const notHere = (): Promise<never> =>
  Promise.reject(new Error('a projector in a thread publishes only; its process consumes'));

/**
 * The bus of a projector in a thread: the bus of its process, which may be in the memory of the
 * main thread. Sagas publish; whatever consumes or listens runs on the main thread.
 */
export class BridgedBus implements Bus {
  readonly consume = notHere;
  readonly listen = notHere;
  readonly deadLetters = notHere;
  readonly retryDeadLetter = notHere;

  constructor(private readonly publishThere: (publication: Publication) => Promise<void>) {}

  publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
    return this.publishThere({ topic, messages });
  }

  /** Known to the process. */
  health(): Promise<BusHealth> {
    return Promise.resolve({ reachable: true, reason: null });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
