import path from 'node:path';
import { type InjectionToken } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { type EventStoreServer } from '#platform/event-store/grpc/event-store.server.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { readerLeases } from '#platform/runtime/lease/reader-leases.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { type ProjectorLink } from '#platform/runtime/projector/projector-link.js';
import { Runtime, type ServiceSource } from '#platform/runtime/runtime.js';
import { areas as shippedAreas } from '../composition/areas.js';
import { type Bootstrap, bootstrap } from '../composition/bootstrap.js';
import { withoutSagas } from '../composition/divided-areas.js';
import { type OpenEngines, openEngines } from '../composition/engines.js';
import { clearForeignReadModels } from '../composition/foreign-read-models.js';
import { QuipuModule } from '../composition/quipu.module.js';
import { serveEventStoreOf } from '../composition/served-event-store.js';
import { type Settings } from '../composition/settings.js';
import { createGateway } from '../gateway/gateway.application.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { httpModulesOf } from '../gateway/http-modules.js';
import { OpenRequests } from '../operations/open-requests.js';
import { Readiness } from '../operations/readiness.js';
import { listen } from './listen.js';
import { GroupModule } from './group.module.js';
import { operationsOf } from './operations-of.js';
import { type ProjectorThread, projectorThreadOf } from './projector.thread.js';
import { ServerWait } from './server-wait.js';

/**
 * Whether this process runs projections, sagas, relays and consumers. `in-thread`: projections and
 * sagas in a thread, the others on the main thread, which has the bus.
 */
export type SubscriptionHosting = 'here' | 'in-thread' | 'under-lease' | 'elsewhere';

export interface GroupParts {
  /** The projector. */
  readonly link: ProjectorLink;
  /** Further values, by their tokens. */
  readonly values: ReadonlyMap<InjectionToken, unknown>;
}

export interface GatewayOptions {
  readonly subscriptions: SubscriptionHosting;
  /** The parts of a gateway of a group that the leading process gives. */
  readonly group?: GroupParts;
  /** The variables that the settings were read from, for `in-thread`. Default: the process's. */
  readonly environment?: NodeJS.ProcessEnv;
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
  readonly projector: ProjectorThread | undefined;
  readonly grpc: EventStoreServer | undefined;
  readonly engines: OpenEngines;
}

/** Starts the HTTP edge on the stores of the settings, with or without log subscriptions. */
export const startGateway = async (
  settings: Settings,
  logger: Logger,
  options: GatewayOptions,
): Promise<Gateway> => {
  const { subscriptions, clock = systemClock, areas = shippedAreas, httpFolders } = options;
  if (subscriptions === 'in-thread' && (options.areas ?? options.clock)) {
    throw new Error('a projector in a thread has the areas that ship, and no other clock');
  }
  const { environment = process.env } = options;
  const projector =
    subscriptions === 'in-thread' ? projectorThreadOf(settings, logger, environment) : undefined;
  const link = projector?.link ?? options.group?.link;
  const wait = new ServerWait(settings, logger);
  const engines = await openEngines(settings, clock, logger, areas, {
    untilAnswered: wait.untilAnswered,
    onAppended: () => link?.announce(),
    requestsLease: subscriptions === 'under-lease',
  });
  await clearForeignReadModels(engines);
  const runtime = new Runtime(engines, projector ? withoutSagas(areas) : areas, link);
  const projecting = projector?.start(engines);
  // Awaited below, behind the failures that this thread finds in the same settings.
  projecting?.catch(() => undefined);
  const httpModules = await httpModulesOf(areas, httpFolders);
  const edges = [
    GatewayModule.of(httpModules, settings.requestRates),
    ...(options.group ? [GroupModule.of(options.group.values)] : []),
    operationsOf(areas, settings.operations, [OpenRequests]),
  ];
  const runsReactions = subscriptions !== 'elsewhere';
  const parts = { settings, engines, runtime, areas, runsReactions, edges };
  const module = await QuipuModule.of({ ...parts, role: 'gateway' });
  await (subscriptions === 'here' ? runtime.startProjections() : runtime.startFollowing());
  const app = await createGateway(module, settings, logger);
  const commands = app.get(CommandBus);
  const serviceOf: ServiceSource = (type) => app.get(type, { strict: false });
  const processEvents = app.get(ProcessEvents);
  await projecting;
  if (subscriptions === 'here' || projector) await runtime.startReactions(commands, serviceOf);
  if (subscriptions === 'under-lease') {
    const { instance, lease } = settings;
    runtime.startUnder(readerLeases(runtime, { instance, ...lease }), commands, serviceOf);
  }
  const grpc = await serveEventStoreOf(settings, engines.eventStore, app);
  // Before the bootstrap, whose secrets are shown once, by a start that succeeds.
  const ready = app.get(Readiness, { strict: false }).holdBack('starting');
  await wait.end();
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
    reload: async () => {
      await Promise.all([processEvents.reload(), projector?.link.reload()]);
    },
    stop: () => {
      stopping ??= stop({ app, runtime, projector, grpc, engines }, settings.drainSeconds * 1_000);
      return stopping;
    },
  };
};

const stop = async (
  { app, runtime, projector, grpc, engines }: Parts,
  drainMs: number,
): Promise<void> => {
  // The server still listens during the drain: a new request gets 503 and `Retry-After`.
  await Promise.all([
    app.get(OpenRequests, { strict: false }).drain(drainMs),
    app.get(ProcessEvents).drain(drainMs),
  ]);
  await app.close();
  await projector?.stop();
  await runtime.stop();
  await grpc?.close();
  await engines.close();
};
