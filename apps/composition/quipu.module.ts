import { hash } from 'node:crypto';
import path from 'node:path';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { AccountOverviewQuery } from '#areas/billing/account-overview.handler.js';
import { OpenAccountCommand } from '#areas/billing/open-account.handler.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { CatalogModule } from '#areas/catalog/catalog.module.js';
import { CATALOG_SETTINGS, type CatalogSettings } from '#areas/catalog/catalog.settings.js';
import { ACCOUNT_OPENER, type AccountOpener } from '#areas/identity/account-opener.port.js';
import { BALANCE_READER, type BalanceReader } from '#areas/identity/balance-reader.port.js';
import { IdentityModule } from '#areas/identity/identity.module.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '#areas/identity/identity.settings.js';
import {
  LEDGER,
  MODEL_CATALOG,
  PROMPT_HASHER,
  type PromptHasher,
  REQUEST_LIMITS,
  type RequestLimits,
  RIGS,
} from '#areas/inference/ports.js';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { PlatformModule } from '#platform/runtime/platform.module.js';
import { type Runtime } from '#platform/runtime/runtime.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { Failures, REFUSALS } from '../gateway/errors/failures.js';
import { KEEP_ALIVE_MS } from '../gateway/inference/chat-exchange.js';
import { ANSWER_STORE } from '../gateway/inference/idempotent-chat.js';
import { OpenRequests } from '../gateway/inference/open-requests.js';
import { GatewayMetrics } from '../gateway/metrics/gateway-metrics.js';
import { RUNTIME } from '../gateway/operations/readiness.js';
import { areas } from './areas.js';
import { type OpenEngines } from './engines.js';
import { bindLedger } from './ledger.binding.js';
import { refusals } from './refusals.js';
import { bindRigs } from './rigs.binding.js';
import { listeningUrl, type Settings } from './settings.js';
import { bindTasks } from './tasks.binding.js';

/** The catalog that ships with Quipu. */
const SHIPPED_CATALOG = path.resolve(import.meta.dirname, '../../../catalog.yaml');
/**
 * Each look at a log on another machine costs a round trip: an ended key counts so long there, and a
 * rate card is not known.
 */
const REMOTE_FRESH_MS = 250;
const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d' } as const;

const settingsProviders = (settings: Settings, engines: OpenEngines): readonly Provider[] => {
  const isRemote = settings.eventStore.kind !== 'sqlite';
  const catalog: CatalogSettings = {
    catalogFile: settings.catalogFile ?? SHIPPED_CATALOG,
    localModelsFolder: path.join(settings.home, 'models'),
    ...(isRemote && { rateCardsPollMs: REMOTE_FRESH_MS }),
  };
  const baseUrl = settings.webUrl ?? listeningUrl(settings);
  const identity: IdentitySettings = {
    tenant: { ...TENANT, baseUrl },
    ...(isRemote && { credentialsFreshMs: REMOTE_FRESH_MS }),
  };
  const limits: RequestLimits = {
    requestMsMax: settings.requestSeconds * 1_000,
    settleMsMax: settings.settleSeconds * 1_000,
  };
  const hashKey = engines.secrets.key('prompt-hash').toString('hex');
  // Keccak has no length extension, so a key in front makes a MAC without HMAC's second pass
  // (keccak.team, "Strengths of Keccak"); this runs twice for every request.
  const promptHasher: PromptHasher = (text) => hash('sha3-256', hashKey + text);
  return [
    { provide: CATALOG_SETTINGS, useValue: catalog },
    { provide: IDENTITY_SETTINGS, useValue: identity },
    { provide: REQUEST_LIMITS, useValue: limits },
    { provide: PROMPT_HASHER, useValue: promptHasher },
    { provide: SECRETS, useValue: engines.secrets },
    { provide: ANSWER_STORE, useValue: engines.answers },
    { provide: KEEP_ALIVE_MS, useValue: settings.keepAliveSeconds * 1_000 },
    { provide: Tasks, useFactory: () => bindTasks(settings, engines) },
  ];
};

/** Where one area needs another: the port that the one declares, bound to the other's commands. */
const bindings: readonly Provider[] = [
  { provide: LEDGER, inject: [CommandBus], useFactory: bindLedger },
  { provide: MODEL_CATALOG, inject: [Catalog], useFactory: (catalog: Catalog) => catalog },
  {
    provide: RIGS,
    inject: [Catalog, Tasks, LOGGER],
    useFactory: (catalog: Catalog, tasks: Tasks, logger: Logger) =>
      bindRigs(catalog, createTextEngine(tasks), logger),
  },
  {
    provide: ACCOUNT_OPENER,
    inject: [CommandBus, CLOCK],
    useFactory: (commands: CommandBus, clock: Clock): AccountOpener => ({
      open: async (accountId, context) => {
        const data = { accountId, currency: 'USD', openedAt: instant(clock) } as const;
        await commands.execute(new OpenAccountCommand(data, context));
      },
    }),
  },
  {
    provide: BALANCE_READER,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): BalanceReader => ({
      balanceMicroUsd: async (accountId) =>
        (await queries.execute(new AccountOverviewQuery(accountId))).balance,
    }),
  },
  { provide: REFUSALS, useValue: refusals },
  Failures,
  GatewayMetrics,
  OpenRequests,
];

/**
 * The composition root: the platform, the areas, and what binds them. Global, so that an area's
 * module imports no other area's.
 */
@Module({})
export class QuipuModule {
  /** @param edges Nest modules beside the areas: the HTTP edge for a gateway, none for a command line */
  static of(
    settings: Settings,
    engines: OpenEngines,
    runtime: Runtime,
    edges: NonNullable<DynamicModule['imports']>,
  ): DynamicModule {
    const providers = [
      { provide: RUNTIME, useValue: runtime },
      ...settingsProviders(settings, engines),
      ...bindings,
    ];
    return {
      module: QuipuModule,
      global: true,
      imports: [
        PlatformModule.of(runtime),
        CatalogModule,
        IdentityModule,
        ...areas.map(({ module }) => module),
        ...edges,
      ],
      providers,
      exports: [
        ...providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
        // Guards stand on routes of every area.
        IdentityModule,
      ],
    };
  }
}
