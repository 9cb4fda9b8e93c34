import { CommandBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { readerLeases } from '#platform/runtime/lease/reader-leases.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { Runtime, type ServiceSource } from '#platform/runtime/runtime.js';
import { areas as shippedAreas } from '../composition/areas.js';
import { openEngines } from '../composition/engines.js';
import { clearForeignReadModels } from '../composition/foreign-read-models.js';
import { QuipuModule } from '../composition/quipu.module.js';
import { type Settings } from '../composition/settings.js';
import { createOperationsApplication } from '../operations/operations.application.js';
import { listen } from './listen.js';
import { operationsOf } from './operations-of.js';
import { ServerWait } from './server-wait.js';

export interface Projector {
  /** The base URL of health and metrics. */
  readonly url: string;
  /** Releases the lease and closes. Idempotent. */
  stop(): Promise<void>;
}

export interface ProjectorOptions {
  readonly clock?: Clock;
  /** Default: the areas that ship. The settings were read for the same list. */
  readonly areas?: readonly Area[];
}

/**
 * Runs projections, sagas, relays and consumers while it holds the lease, and waits for the lease
 * otherwise. Commands of sagas are handled in this process. Its HTTP server serves health and
 * metrics only.
 */
export const startProjector = async (
  settings: Settings,
  logger: Logger,
  { clock = systemClock, areas = shippedAreas }: ProjectorOptions = {},
): Promise<Projector> => {
  const wait = new ServerWait(settings, logger);
  const { untilAnswered } = wait;
  const options = { requestsLease: true, untilAnswered } as const;
  const engines = await openEngines(settings, clock, logger, areas, options);
  await clearForeignReadModels(engines);
  const runtime = new Runtime(engines, areas);
  const edges = [operationsOf(areas, settings.operations)];
  const parts = { settings, engines, runtime, areas, runsReactions: true, edges };
  const module = await QuipuModule.of({ ...parts, role: 'projector' });
  await runtime.startFollowing();
  const app = await createOperationsApplication(module, logger);
  const { instance, lease } = settings;
  const serviceOf: ServiceSource = (type) => app.get(type, { strict: false });
  const leadership = readerLeases(runtime, { instance, ...lease });
  runtime.startUnder(leadership, app.get(CommandBus), serviceOf);
  await wait.end();
  await listen(app, settings);
  const stop = async (): Promise<void> => {
    await app.get(ProcessEvents).drain(settings.drainSeconds * 1_000);
    await runtime.stop();
    await app.close();
    await engines.close();
  };
  let stopping: Promise<void> | undefined;
  return { url: await app.getUrl(), stop: () => (stopping ??= stop()) };
};
