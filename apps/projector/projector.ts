import { CommandBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas } from '../composition/areas.js';
import { openEngines } from '../composition/engines.js';
import { leaseLeadership } from '#platform/runtime/lease/lease-leadership.js';
import { QuipuModule } from '../composition/quipu.module.js';
import { type Settings } from '../composition/settings.js';
import { createGateway } from '../gateway/gateway.application.js';
import { OperationsHttpModule } from '../gateway/operations/operations-http.module.js';
import { closeModels, listen } from '../gateway/start/gateway.process.js';

export interface Projector {
  /** Of health and metrics. */
  readonly url: string;
  /** Hands the lease on and closes. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Runs projections, sagas and relays while it holds the lease, and waits for it otherwise. Commands of
 * sagas are handled in this process. Its HTTP edge tells of health and metrics and nothing else.
 */
export const startProjector = async (
  settings: Settings,
  logger: Logger,
  clock: Clock = systemClock,
): Promise<Projector> => {
  const engines = await openEngines(settings, clock, logger);
  const runtime = new Runtime(engines, areas);
  const module = QuipuModule.of(settings, engines, runtime, [OperationsHttpModule]);
  const app = await createGateway(module, settings, logger);
  await runtime.startFollowing();
  runtime.startUnder(
    leaseLeadership(runtime, { instance: settings.instance, ...settings.lease }),
    app.get(CommandBus),
  );
  await listen(app, settings);
  const stop = async (): Promise<void> => {
    await runtime.stop();
    await app.close();
    await closeModels(app);
    await engines.close();
  };
  let stopping: Promise<void> | undefined;
  return { url: await app.getUrl(), stop: () => (stopping ??= stop()) };
};
