import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { CommandBus } from '@nestjs/cqrs';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { type Authenticator } from '#areas/identity/authenticator.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { DefineTenantCommand } from '#areas/identity/define-tenant.handler.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '#areas/identity/identity.settings.js';
import { AUTHENTICATOR } from '#areas/identity/identity.tokens.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type EventStoreServer } from '#platform/event-store/grpc/event-store.server.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { type TaskHosting, Tasks } from '#platform/tasks/tasks.port.js';
import { areas, edges } from '../../composition/areas.js';
import { type OpenEngines, openEngines } from '../../composition/engines.js';
import { leadershipOf } from '../../composition/lease.js';
import { QuipuModule } from '../../composition/quipu.module.js';
import { serveOwnEventStore } from '../../composition/served-event-store.js';
import { type Settings, SettingsError } from '../../composition/settings.js';
import { createGateway } from '../gateway.application.js';
import { OpenRequests } from '../inference/open-requests.js';
import { OperationsHttpModule } from '../operations/operations-http.module.js';
import { Readiness } from '../operations/readiness.js';
import { type Bootstrap, bootstrap } from './bootstrap.js';
import { sweepAnswers } from './sweep-answers.js';

/** Where projections, sagas and relays run, as this process sees it. */
export type Readers = 'here' | 'under-lease' | 'elsewhere';

export interface Gateway {
  readonly app: NestFastifyApplication;
  readonly url: string;
  /** The credentials of a first start. */
  readonly bootstrap: Bootstrap | undefined;
  readonly bootstrapFile: string;
  /** Where the event store is served by EventStoreDB's protocol, if it is. */
  readonly grpcPort: number | undefined;
  /** Reads the catalog again. */
  reload(): Promise<void>;
  /** Stops admitting, finishes what is open, settles everything, closes. Safe to call twice. */
  stop(): Promise<void>;
}

/** What a stop has to close, in this order. */
interface Parts {
  readonly app: NestFastifyApplication;
  readonly catalog: Catalog;
  readonly runtime: Runtime;
  readonly grpc: EventStoreServer | undefined;
  readonly engines: OpenEngines;
}

/** The HTTP edge on the engines that the settings name, with the readers of the log or without. */
export const startGateway = async (
  settings: Settings,
  logger: Logger,
  readers: Readers,
  clock: Clock = systemClock,
): Promise<Gateway> => {
  const engines = await openEngines(settings, clock, logger);
  const runtime = new Runtime(engines, areas);
  const module = QuipuModule.of(settings, engines, runtime, [...edges, OperationsHttpModule]);
  const app = await createGateway(module, settings, logger);
  await (readers === 'here' ? runtime.startProjections() : runtime.startFollowing());
  const catalog = app.get(Catalog, { strict: false });
  await catalog.start();
  await app.get<TaskHosting>(Tasks, { strict: false }).listen();
  const commands = app.get(CommandBus);
  if (readers === 'here') runtime.startReactions(commands);
  if (readers === 'under-lease') runtime.startUnder(leadershipOf(runtime, settings), commands);
  const grpc = await serveLog(settings, engines, app);
  // Before the bootstrap: its secrets are told once, by a start that succeeds.
  const ready = app.get(Readiness, { strict: false }).holdBack('starting');
  await listen(app, settings);
  const first = await bootstrap(commands, engines.eventStore, clock, settings.home);
  const sweeping = sweepAnswers(engines.answers, logger);
  const url = await app.getUrl();
  if (settings.port === 0) await tellTenant(app, url);
  ready();
  let stopping: Promise<void> | undefined;
  return {
    app,
    url,
    bootstrap: first,
    bootstrapFile: path.join(settings.home, 'bootstrap.json'),
    grpcPort: grpc?.port,
    reload: () => catalog.reload(),
    stop: () => {
      clearInterval(sweeping);
      const parts = { app, catalog, runtime, grpc, engines };
      stopping ??= stop(parts, settings.drainSeconds * 1_000);
      return stopping;
    },
  };
};

/** Binds the HTTP edge. @throws SettingsError */
export const listen = async (
  app: NestFastifyApplication,
  { host, port }: Settings,
): Promise<void> => {
  try {
    await app.listen(port, host);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError(`bad settings\n  HOST, PORT: ${reason}`, { cause });
  }
};

const serveLog = async (
  { grpc }: Settings,
  { eventStore }: OpenEngines,
  app: NestFastifyApplication,
): Promise<EventStoreServer | undefined> => {
  if (!grpc) return undefined;
  const authenticator = (): Authenticator =>
    app.get<Authenticator>(AUTHENTICATOR, { strict: false });
  return serveOwnEventStore(grpc, eventStore, authenticator);
};

/** With port 0 the address is known only now; a web host that was named stays. */
const tellTenant = async (app: NestFastifyApplication, baseUrl: string): Promise<void> => {
  const { tenant } = app.get<IdentitySettings>(IDENTITY_SETTINGS, { strict: false });
  if (new URL(tenant.baseUrl).port !== '0') return;
  const context = contextOf(randomUUID(), 'system');
  await app.get(CommandBus).execute(new DefineTenantCommand({ ...tenant, baseUrl }, context));
};

const stop = async (
  { app, catalog, runtime, grpc, engines }: Parts,
  drainMs: number,
): Promise<void> => {
  // Still listening meanwhile: who comes now is told 503 and when to try again.
  await app.get(OpenRequests, { strict: false }).drain(drainMs);
  await app.close();
  await closeModels(app);
  await catalog.stop();
  await runtime.stop();
  await grpc?.close();
  await engines.close();
};

/** What Nest does not know how to close. */
export const closeModels = async (app: NestFastifyApplication): Promise<void> => {
  await app.get<RigRouter>(RIGS, { strict: false }).close();
  await app.get<TaskHosting>(Tasks, { strict: false }).close();
};
