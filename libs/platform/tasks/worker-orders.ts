import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { z } from 'zod';
import { type Bus, type Listener } from '#platform/bus/bus.port.js';
import { listenWhenReachable } from '#platform/jobs/listen-when-reachable.js';
import { type TaskSeal } from './task.seal.js';

/** Orders of operators to workers; every worker reads all of it. */
export const ORDERS_TOPIC = 'quipu.workers.orders';

/** Sealed, so that only a holder of the master key orders anything. */
const WorkerOrder = z.strictObject({
  /** Finish what runs, take no more tasks. */
  kind: z.literal('drain'),
  /** A worker that was started later has been restarted since: the order is not for it. */
  startedAt: z.string(),
});

const placeOf = (worker: string): string => `order/${worker}`;

/** The worker that is meant; for headers of messages. */
const Addressed = z.object({ worker: z.string() });

export interface OrderedWorker {
  readonly worker: string;
  /** Of its heartbeats. */
  readonly startedAt: string;
}

/** @throws BusError */
export const orderDrain = async (
  bus: Pick<Bus, 'publish'>,
  seal: TaskSeal,
  { worker, startedAt }: OrderedWorker,
): Promise<void> => {
  const order: z.infer<typeof WorkerOrder> = { kind: 'drain', startedAt };
  const data = seal.seal(placeOf(worker), JSON.stringify(order));
  const message = { key: worker, id: randomUUID(), headers: { worker }, data };
  await bus.publish(ORDERS_TOPIC, [message]);
};

export interface WorkerOrdersOptions extends OrderedWorker {
  readonly bus: Pick<Bus, 'listen'>;
  readonly seal: TaskSeal;
  readonly logger: Pick<Logger, 'warn'>;
  /** May be called again. */
  readonly drain: () => void;
}

/** The side of a worker: follows the orders for it until it is stopped. */
export class WorkerOrders {
  readonly #stopping = new AbortController();
  readonly #listening: Promise<Listener | null>;

  constructor({ bus, seal, logger, worker, startedAt, drain }: WorkerOrdersOptions) {
    const handle = ({ headers, data }: { readonly headers: unknown; readonly data: unknown }) => {
      if (Addressed.parse(headers).worker !== worker) return;
      const order = seal.open(placeOf(worker), data, WorkerOrder);
      if (order.startedAt === startedAt) drain();
    };
    const options = { bus, topic: ORDERS_TOPIC, handle, logger };
    this.#listening = listenWhenReachable(options, this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await (await this.#listening)?.close();
  }
}
