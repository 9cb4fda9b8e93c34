import path from 'node:path';
import { CommandBus } from '@nestjs/cqrs';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { type EventStoreServer } from '#platform/event-store/grpc/event-store.server.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type Area } from '#platform/runtime/area.js';
import { leaseLeadership } from '#platform/runtime/lease/lease-leadership.js';
import { ProcessEvents } from '#platform/runtime/process-events.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas as shippedAreas } from '../composition/areas.js';
import { type Bootstrap, bootstrap } from '../composition/bootstrap.js';
import { type OpenEngines, openEngines } from '../composition/engines.js';
import { QuipuModule } from '../composition/quipu.module.js';
import { serveEventStoreOf } from '../composition/served-event-store.js';
import { type Settings } from '../composition/settings.js';
import { createGateway } from '../gateway/gateway.application.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { httpModulesOf } from '../gateway/http-modules.js';
import { OpenRequests } from '../operations/open-requests.js';
import { Readiness } from '../operations/readiness.js';
import { listen } from './listen.js';
import { operationsOf } from './operations-of.js';

/** Whether this process runs projections, sagas and relays. */
export type SubscriptionHosting = 'here' | 'under-lease' | 'elsewhere';

export interface GatewayOptions {
  readonly subscriptions: SubscriptionHosting;
  readonly clock?: Clock;
  /** Default: the areas that ship. The settings were read for the same list. */
  readonly areas?: readonly Area[];
  /** The folders of the areas' HTTP modules; default: `apps/gateway`. */
  readonly httpFolders?: readonly string[];
}

export interface Gateway {
  readonly app: NestFastifyApplication;
  readonly url: string;
  /** The credentials of a first start. */
  readonly bootstrap: Bootstrap | undefined;
  readonly bootstrapFile: string;
  /** The address at which the event store is served by EventStoreDB's protocol, if any. */
  readonly grpcPort: number | undefined;
  /** Reloads the catalog. */
  reload(): Promise<void>;
  /** Rejects new requests, finishes and settles the open ones, closes. Idempotent. */
  stop(): Promise<void>;
}

/** The parts that a stop closes, in this order. */
interface Parts {
  readonly app: NestFastifyApplication;
  readonly runtime: Runtime;
  readonly grpc: EventStoreServer | undefined;
  readonly engines: OpenEngines;
}

/** Starts the HTTP edge on the stores of the settings, with or without log subscriptions. */
export const startGateway = async (
  settings: Settings,
  logger: Logger,
  { subscriptions, clock = systemClock, areas = shippedAreas, httpFolders }: GatewayOptions,
): Promise<Gateway> => {
  const engines = await openEngines(settings, clock, logger, areas);
  const runtime = new Runtime(engines, areas);
  const httpModules = await httpModulesOf(areas, httpFolders);
  const edges = [GatewayModule.of(httpModules), operationsOf(areas, [OpenRequests])];
  const module = QuipuModule.of({ settings, engines, runtime, areas, role: 'gateway', edges });
  await (subscriptions === 'here' ? runtime.startProjections() : runtime.startFollowing());
  const app = await createGateway(module, settings, logger);
  const commands = app.get(CommandBus);
  const processEvents = app.get(ProcessEvents);
  if (subscriptions === 'here') await runtime.startReactions(commands);
  if (subscriptions === 'under-lease') {
    const { instance, lease } = settings;
    runtime.startUnder(leaseLeadership(runtime, { instance, ...lease }), commands);
  }
  const grpc = await serveEventStoreOf(settings, engines.eventStore, app);
  // Before the bootstrap, whose secrets are shown once, by a start that succeeds.
  const ready = app.get(Readiness, { strict: false }).holdBack('starting');
  await listen(app, settings);
  const first = await bootstrap(commands, engines.eventStore, clock, settings.home);
  const url = await app.getUrl();
  await processEvents.listening(url);
  ready();
  let stopping: Promise<void> | undefined;
  return {
    app,
    url,
    bootstrap: first,
    bootstrapFile: path.join(settings.home, 'bootstrap.json'),
    grpcPort: grpc?.port,
    reload: () => processEvents.reload(),
    stop: () => {
      stopping ??= stop({ app, runtime, grpc, engines }, settings.drainSeconds * 1_000);
      return stopping;
    },
  };
};

const stop = async ({ app, runtime, grpc, engines }: Parts, drainMs: number): Promise<void> => {
  // The server still listens during the drain: a new request gets 503 and `Retry-After`.
  await app.get(OpenRequests, { strict: false }).drain(drainMs);
  await app.close();
  await runtime.stop();
  await grpc?.close();
  await engines.close();
};
