import { type Logger } from 'pino';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { openEventStore, openHome } from '../composition/engines.js';
import { serveEventStoreAlone } from '../composition/served-event-store.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { type Settings } from '../composition/settings.js';
import { EventStoreMetrics } from '../event-store/event-store.metrics.js';
import { EventStoreModule } from '../event-store/event-store.module.js';
import { EventStoreOperations } from '../event-store/event-store.operations.js';
import { MeasuredEventStore } from '../event-store/measured-event-store.js';
import { createOperationsApplication } from '../operations/operations.application.js';
import { listen } from './listen.js';

export interface EventStoreNode {
  readonly grpcPort: number;
  /** The base URL of health and metrics. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves only the embedded event store, by the protocol of EventStoreDB. */
export const startEventStore = async (
  settings: Settings,
  logger: Logger,
  clock: Clock = systemClock,
): Promise<EventStoreNode> => {
  const { grpc: served } = settings;
  if (!served) throw new SettingsError('bad settings\n  QUIPU_GRPC_PORT: required by this process');
  await openHome(settings);
  const log = await openEventStore(settings, clock, logger);
  const metrics = new EventStoreMetrics();
  const eventStore = new MeasuredEventStore(log, metrics);
  const grpc = await serveEventStoreAlone(served, eventStore, clock);
  const operations = new EventStoreOperations(eventStore, metrics);
  const module = EventStoreModule.of(operations, metrics.registry, settings.operations);
  const app = await createOperationsApplication(module, logger);
  await listen(app, settings);
  const url = await app.getUrl();
  logger.info({ grpcPort: grpc.port, health: url }, 'the event store is served');
  const stop = async (): Promise<void> => {
    await app.close();
    await grpc.close();
    await eventStore.close();
  };
  return { grpcPort: grpc.port, url, stop };
};
