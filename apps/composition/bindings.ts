import { type Provider } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { AdapterChats } from '#areas/adapters/adapter-chats.port.js';
import { BaseModels } from '#areas/adapters/base-models.port.js';
import { PlacedAdapters } from '#areas/adapters/placed-adapters.js';
import { Planners } from '#areas/agents/planning/planners.port.js';
import { BillSources } from '#areas/audit/bill-sources.port.js';
import { AccountOverviewQuery } from '#areas/billing/account-overview.handler.js';
import { BatchFiles } from '#areas/batches/batch-files.port.js';
import { accountStream } from '#areas/billing/accounts.js';
import { BudgetsQuery } from '#areas/billing/budgets/budgets.handler.js';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { StatementQuery } from '#areas/billing/statements/statement.handler.js';
import { StatementTaxes } from '#areas/billing/statements/statement-taxes.port.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { RATE_CARD_STREAM } from '#areas/catalog/rate-card-runner.js';
import { LocalModelKinds } from '#areas/catalog/local-model-kinds.port.js';
import { createEmbeddingRunner } from '#areas/embeddings/embeddings-over-tasks.js';
import { EmbeddingModels, EmbeddingRigs } from '#areas/embeddings/ports.js';
import { FileStore } from '#areas/files/file-store.js';
import { AccountOpener } from '#areas/identity/accounts/account-opener.port.js';
import { BalanceReader } from '#areas/identity/accounts/balance-reader.port.js';
import { accountIdOf } from '#areas/identity/authentication/caller.js';
import { KeyBudgets } from '#areas/identity/keys/key-budgets.port.js';
import { ChatAdapters } from '#areas/inference/chat-adapters.js';
import { CompleteChatHandler } from '#areas/inference/complete-chat.handler.js';
import { BATCH_RIG_PERCENT } from '#areas/inference/inference.settings.js';
import { MODEL_CATALOG, RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import { InvestorUsers } from '#areas/investors/investor-users.port.js';
import { ClusterLeader } from '#areas/mesh/cluster-leader.port.js';
import { PartnerAccess } from '#areas/partners/partner-access.js';
import { PartnerUsers } from '#areas/partners/partner-users.port.js';
import { Deposits } from '#areas/payments/deposits.port.js';
import { Charges } from '#areas/payouts/charges.port.js';
import { Beneficiaries } from '#areas/payouts/beneficiaries.port.js';
import { WithholdingTax } from '#areas/payouts/withholding-tax.port.js';
import { PlacementRigs } from '#areas/placement/placement-rigs.port.js';
import { RentalRates } from '#areas/rentals/rental-rates.port.js';
import { MeasuredRigs } from '#areas/rigs/measured-rigs.port.js';
import { ShardedModels } from '#areas/sharding/sharded-models.port.js';
import { SwarmModels } from '#areas/swarm/swarm-models.port.js';
import { SupplyTaxQuery } from '#areas/tax/supply-tax.handler.js';
import { WithholdingQuery } from '#areas/tax/withholding.handler.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Area } from '#platform/runtime/area.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { ProcessFacts } from '#platform/runtime/process-facts.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { EmbeddedBaseModels, GatewayChats, VaultChatAdapters } from './adapters.binding.js';
import { CatalogPlanners } from './agent-planners.binding.js';
import { StoredBatchFiles } from './batch-files.binding.js';
import { ChatModels } from './chat-models.binding.js';
import { type EmbeddedEngines } from './embedded-embeddings.js';
import { CatalogEmbeddingModels } from './embedding-models.binding.js';
import { RoutedEmbeddingRigs } from './embedding-rigs.binding.js';
import { chatStrategies } from './listed-chats.binding.js';
import { GgufModelKinds } from './local-model-kinds.binding.js';
import { AccountCharges } from './charges.binding.js';
import { LeaseHolder } from './cluster-leader.binding.js';
import { RoutedRigs } from './measured-rigs.binding.js';
import { MeasuredWorkers } from './measured-workers.js';
import { IdentityPartnerUsers, profileOf } from './partner-users.binding.js';
import { PinnedWorkers } from './pinned-workers.binding.js';
import { OwnRig, WorkerRigs } from './placement-rigs.binding.js';
import { CatalogSwarmModels } from './swarm-models.binding.js';
import { bindRigs } from './rigs.binding.js';

/** The engines of embedded rigs, here or on workers. */
const enginesOver = (tasks: Tasks): EmbeddedEngines => ({
  ...createTextEngine(tasks),
  ...createEmbeddingRunner(tasks),
});

/** Binds the ports of one area to services of other areas. */
interface Binding {
  /** The area that declares the ports. The binding is skipped without it. */
  readonly of: string;
  readonly providers: readonly Provider[];
}

const bindings: readonly Binding[] = [
  {
    of: 'inference',
    providers: [
      {
        provide: MODEL_CATALOG,
        inject: [Catalog],
        useFactory: (catalog: Catalog) => new ChatModels(catalog),
      },
      {
        provide: RIGS,
        inject: [Catalog, Tasks, BATCH_RIG_PERCENT, LOGGER, ProcessFacts, WorkerDirectory],
        useFactory: (
          catalog: Catalog,
          tasks: Tasks,
          batchPercent: number,
          logger: Logger,
          { region, sharesBus }: ProcessFacts,
          directory: WorkerDirectory,
        ) =>
          bindRigs(catalog, enginesOver(tasks), logger, {
            batchPercent,
            region,
            ...(sharesBus && {
              workersFor: (models) =>
                new PinnedWorkers(directory, tasks, models, { region, batchPercent }),
            }),
          }),
      },
      chatStrategies,
      {
        provide: ChatAdapters,
        inject: [{ token: PlacedAdapters, optional: true }],
        useFactory: (placed?: PlacedAdapters) => new VaultChatAdapters(placed),
      },
    ],
  },
  {
    of: 'sharding',
    providers: [
      {
        provide: ShardedModels,
        inject: [Catalog],
        useFactory: (catalog: Catalog): ShardedModels => new ChatModels(catalog),
      },
    ],
  },
  {
    of: 'adapters',
    providers: [
      {
        provide: BaseModels,
        inject: [{ token: Catalog, optional: true }],
        useFactory: (catalog?: Catalog) => new EmbeddedBaseModels(catalog),
      },
      {
        provide: AdapterChats,
        inject: [{ token: CompleteChatHandler, optional: true }],
        useFactory: (chats?: CompleteChatHandler) => new GatewayChats(chats),
      },
    ],
  },
  {
    of: 'swarm',
    providers: [
      {
        provide: SwarmModels,
        inject: [Catalog, RIGS],
        useFactory: (catalog: Catalog, router: RigRouter) =>
          new CatalogSwarmModels(catalog, router),
      },
    ],
  },
  {
    of: 'catalog',
    providers: [{ provide: LocalModelKinds, useClass: GgufModelKinds }],
  },
  {
    of: 'embeddings',
    providers: [
      {
        provide: EmbeddingModels,
        inject: [Catalog],
        useFactory: (catalog: Catalog) => new CatalogEmbeddingModels(catalog),
      },
      {
        provide: EmbeddingRigs,
        inject: [RIGS],
        useFactory: (router: RigRouter) => new RoutedEmbeddingRigs(router),
      },
    ],
  },
  {
    of: 'batches',
    providers: [
      {
        provide: BatchFiles,
        inject: [FileStore],
        useFactory: (files: FileStore) => new StoredBatchFiles(files),
      },
    ],
  },
  {
    of: 'agents',
    providers: [
      {
        provide: Planners,
        inject: [Catalog, RIGS],
        useFactory: (catalog: Catalog, router: RigRouter) => new CatalogPlanners(catalog, router),
      },
    ],
  },
  {
    of: 'rigs',
    providers: [
      {
        provide: MeasuredRigs,
        inject: [Catalog, RIGS, BATCH_RIG_PERCENT, ProcessFacts, WorkerDirectory],
        useFactory: (
          catalog: Catalog,
          router: RigRouter,
          batchPercent: number,
          { sharesBus }: ProcessFacts,
          directory: WorkerDirectory,
        ) => {
          const workers = new MeasuredWorkers(directory, () => catalog.models(), batchPercent);
          return new RoutedRigs(catalog, router, batchPercent, sharesBus ? workers : undefined);
        },
      },
    ],
  },
  {
    of: 'rentals',
    providers: [
      {
        provide: RentalRates,
        inject: [QueryBus, CLOCK],
        useFactory: (queries: QueryBus, clock: Clock): RentalRates => ({
          rateOf: async (rig) => {
            const { card } = await queries.execute(new RateCardQuery({ at: instant(clock) }));
            const rate = card.compute.find((one) => one.rig === rig);
            return (
              (rate && { rateCardVersion: card.version, microUsdPerHour: rate.microUsdPerHour }) ??
              null
            );
          },
        }),
      },
    ],
  },
  {
    of: 'mesh',
    providers: [
      {
        provide: ClusterLeader,
        inject: [ProcessFacts, Runtime, EVENT_STORE, CODEC],
        useFactory: (
          facts: ProcessFacts,
          runtime: Runtime,
          eventStore: EventStore,
          codec: EventCodec,
        ) => new LeaseHolder(facts, () => runtime.leadership(), eventStore, codec),
      },
    ],
  },
  {
    of: 'placement',
    providers: [
      {
        provide: PlacementRigs,
        inject: [ProcessFacts, WorkerDirectory],
        useFactory: ({ sharesBus }: ProcessFacts, directory: WorkerDirectory) =>
          sharesBus ? new WorkerRigs(directory) : new OwnRig(),
      },
    ],
  },
  {
    of: 'billing',
    providers: [
      {
        provide: StatementTaxes,
        inject: [QueryBus],
        useFactory: (queries: QueryBus): StatementTaxes => ({
          termsOf: (accountId, at) => queries.execute(new SupplyTaxQuery(accountId, at)),
        }),
      },
    ],
  },
  {
    of: 'partners',
    providers: [
      {
        provide: PartnerUsers,
        inject: [CommandBus, QueryBus],
        useFactory: (commands: CommandBus, queries: QueryBus) =>
          new IdentityPartnerUsers(commands, queries),
      },
    ],
  },
  {
    of: 'audit',
    providers: [
      {
        provide: BillSources,
        inject: [QueryBus],
        useFactory: (queries: QueryBus): BillSources => ({
          accountStream,
          rateCardStream: () => RATE_CARD_STREAM,
          statement: (accountId, month) => queries.execute(new StatementQuery(accountId, month)),
        }),
      },
    ],
  },
  {
    of: 'payments',
    providers: [
      {
        provide: Deposits,
        inject: [CommandBus],
        useFactory: (commands: CommandBus): Deposits => ({
          credit: async (deposit, context) => {
            const data = { ...deposit, method: 'crypto' } as const;
            await commands.execute(
              new ChangeAccountCommand({ type: 'DepositFunds', data }, context),
            );
          },
        }),
      },
    ],
  },
  {
    of: 'investors',
    providers: [
      {
        provide: InvestorUsers,
        inject: [QueryBus],
        useFactory: (queries: QueryBus): InvestorUsers => ({
          roleOf: async (userId) => (await profileOf(queries, userId))?.role ?? null,
        }),
      },
    ],
  },
  {
    of: 'payouts',
    providers: [
      {
        provide: Beneficiaries,
        inject: [PartnerAccess],
        useFactory: (partners: PartnerAccess): Beneficiaries => ({
          ofUser: async (caller) =>
            caller.role === 'Investor'
              ? `investor-${caller.userId}`
              : `partner-${await partners.partnerOf(caller, undefined)}`,
        }),
      },
      {
        provide: Charges,
        inject: [EVENT_STORE, CODEC],
        useFactory: (eventStore: EventStore, codec: EventCodec) =>
          new AccountCharges(eventStore, codec),
      },
      {
        provide: WithholdingTax,
        inject: [QueryBus],
        useFactory: (queries: QueryBus): WithholdingTax => ({
          decide: (payment) => queries.execute(new WithholdingQuery(payment)),
        }),
      },
    ],
  },
  {
    of: 'identity',
    providers: [
      {
        provide: KeyBudgets,
        inject: [QueryBus],
        useFactory: (queries: QueryBus): KeyBudgets => ({
          limits: async (userId, line) => {
            const { budgets } = await queries.execute(new BudgetsQuery(accountIdOf(userId)));
            return budgets.some(({ key }) => key === line);
          },
        }),
      },
      {
        provide: AccountOpener,
        inject: [CommandBus, CLOCK],
        useFactory: (commands: CommandBus, clock: Clock): AccountOpener => ({
          open: async (accountId, context) => {
            const data = { accountId, currency: 'USD', openedAt: instant(clock) } as const;
            await commands.execute(
              new ChangeAccountCommand({ type: 'OpenAccount', data }, context),
            );
          },
        }),
      },
      {
        provide: BalanceReader,
        inject: [QueryBus],
        useFactory: (queries: QueryBus): BalanceReader => ({
          balanceMicroUsd: async (accountId) =>
            (await queries.execute(new AccountOverviewQuery(accountId))).balance,
        }),
      },
    ],
  },
];

/** The bindings of a process with these areas. */
export const bindingsOf = (areas: readonly Area[]): readonly Provider[] =>
  bindings
    .filter(({ of }) => areas.some(({ name }) => name === of))
    .flatMap(({ providers }) => providers);
