import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { CommandBus } from '@nestjs/cqrs';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { Catalog } from '#areas/catalog/catalog.js';
import { DefineTenantCommand } from '#areas/identity/define-tenant.handler.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '#areas/identity/identity.settings.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type LanguageModelEngine } from '#engines/language-model/language-model.engine.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas, deployments } from '../composition/areas.js';
import { type OpenEngines, openEngines } from '../composition/engines.js';
import { LANGUAGE_MODELS, QuipuModule } from '../composition/quipu.module.js';
import { type Settings, SettingsError } from '../composition/settings.js';
import { createGateway } from '../gateway/gateway.application.js';
import { OpenRequests } from '../gateway/inference/open-requests.js';
import { OperationsHttpModule } from '../gateway/operations/operations-http.module.js';
import { Readiness } from '../gateway/operations/readiness.js';
import { type Bootstrap, bootstrap } from './bootstrap.js';

/** How often expired answers of idempotent requests are removed. */
const SWEEP_ANSWERS_MS = 60_000;

export interface Standalone {
  readonly app: NestFastifyApplication;
  readonly url: string;
  /** The credentials of a first start. */
  readonly bootstrap: Bootstrap | undefined;
  readonly bootstrapFile: string;
  /** Reads the catalog again. */
  reload(): Promise<void>;
  /** Stops admitting, finishes what is open, settles everything, closes. Safe to call twice. */
  stop(): Promise<void>;
}

/** Gateway, projections and sagas in one process on the embedded engines. */
export const startStandalone = async (
  settings: Settings,
  logger: Logger,
  clock: Clock = systemClock,
): Promise<Standalone> => {
  const engines = await openEngines(settings, clock, logger);
  const runtime = new Runtime(engines, areas);
  const edges = [...deployments.map(({ http }) => http), OperationsHttpModule];
  const module = QuipuModule.of(settings, engines, runtime, edges);
  const app = await createGateway(module, settings, logger);
  await runtime.startProjections();
  const catalog = app.get(Catalog, { strict: false });
  await catalog.start();
  const commands = app.get(CommandBus);
  runtime.startReactions(commands);
  // Before the bootstrap: its secrets are told once, by a start that succeeds.
  const ready = app.get(Readiness, { strict: false }).holdBack('starting');
  await listen(app, settings);
  const first = await bootstrap(commands, engines.eventStore, clock, settings.home);
  const sweeping = setInterval(() => void engines.answers.sweep(), SWEEP_ANSWERS_MS).unref();
  const url = await app.getUrl();
  if (settings.port === 0) await tellTenant(app, url);
  ready();
  let stopping: Promise<void> | undefined;
  return {
    app,
    url,
    bootstrap: first,
    bootstrapFile: path.join(settings.home, 'bootstrap.json'),
    reload: () => catalog.reload(),
    stop: () => {
      clearInterval(sweeping);
      stopping ??= stop(app, runtime, engines, catalog, settings.drainSeconds * 1_000);
      return stopping;
    },
  };
};

const listen = async (app: NestFastifyApplication, { host, port }: Settings): Promise<void> => {
  try {
    await app.listen(port, host);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError(`bad settings\n  HOST, PORT: ${reason}`, { cause });
  }
};

/** With port 0 the address is known only now; a web host that was named stays. */
const tellTenant = async (app: NestFastifyApplication, baseUrl: string): Promise<void> => {
  const { tenant } = app.get<IdentitySettings>(IDENTITY_SETTINGS, { strict: false });
  if (new URL(tenant.baseUrl).port !== '0') return;
  const context = contextOf(randomUUID(), 'system');
  await app.get(CommandBus).execute(new DefineTenantCommand({ ...tenant, baseUrl }, context));
};

const stop = async (
  app: NestFastifyApplication,
  runtime: Runtime,
  engines: OpenEngines,
  catalog: Catalog,
  drainMs: number,
): Promise<void> => {
  // Still listening meanwhile: who comes now is told 503 and when to try again.
  await app.get(OpenRequests, { strict: false }).drain(drainMs);
  await app.close();
  await app.get<RigRouter>(RIGS, { strict: false }).close();
  await app.get<LanguageModelEngine>(LANGUAGE_MODELS, { strict: false }).close();
  await catalog.stop();
  await runtime.stop();
  await engines.close();
};
