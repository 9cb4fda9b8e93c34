import { type Type } from '@nestjs/common';
import { type ICommand } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { platformEvents } from '#events/platform/platform.events.js';
import { TreeCheck } from '#platform/audit/tree-check.js';
import { TreeKeeper } from '#platform/audit/tree-keeper.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type LogChain } from '#platform/event-store/log-chain.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { JobTypes } from '#platform/jobs/job-type.js';
import { type SagaCommand } from '#platform/kernel/saga.js';
import { Products } from '#platform/ledger/product.js';
import { metersOf } from '#platform/tools/tool.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type Area } from './areas/area.js';
import { type CommandContext } from './commands/command-context.js';
import { type AnyConsumer, Consumers } from './subscriptions/consumer.js';
import { EventCodec } from './commands/event-codec.js';
import { type CommandSender, type LeaderService } from './areas/leader-service.js';
import { FencedReadStore, LeaseLostError } from './lease/fenced-read-store.js';
import {
  type Leadership,
  type LeadershipStatus,
  type LeadershipTerm,
} from './lease/leadership.port.js';
import { LogTimesKeeper } from './history/log-times.js';
import { LogTrust } from './subscriptions/log-trust.js';
import { type RunnerStatus } from './subscriptions/log-progress.js';
import { type AnyRelay, RelayHandler } from './subscriptions/outbox.js';
import { ProjectionHost } from './projections/projection-host.js';
import { Projections } from './projections/projections.js';
import { type ProjectorLink } from './projector/projector-link.js';
import { type AnySagaDeployment } from './sagas/saga-deployment.js';
import { Sagas } from './sagas/sagas.js';
import { Snapshots } from './commands/snapshots.js';
import { type SubscriptionHandler } from './subscriptions/subscription-handler.js';
import { SubscriptionRunner } from './subscriptions/subscription-runner.js';
import { TrustedReadStore } from './projections/trusted-read-store.js';

/** The engines behind the three ports, and time. */
export interface Engines {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  /** Over a connection of its own, for what must not wait for the documents. Default: the same. */
  readonly leases?: ReadStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Builds the Merkle tree of the log in the read store. Default: false. */
  readonly keepsTree?: boolean;
}

/** Finds a provider of an area's module; `apps/` binds it to Nest's application. */
export type ServiceSource = (type: Type<LeaderService>) => LeaderService;

const noServices: ServiceSource = ({ name }) => {
  throw new Error(`this process has no source of ${name}`);
};

interface Reactions {
  readonly sagas: Sagas;
  readonly relays: readonly SubscriptionRunner[];
  readonly services: readonly LeaderService[];
  readonly consumers: Consumers;
}

/**
 * Runs what a list of areas subscribes to the log, and registers the platform's own events. A
 * single process runs everything (`startProjections`, `startReactions`). In an installation of
 * several processes each answers queries from documents that another one may write
 * (`startFollowing`), and the one that holds the lease runs projections, sagas and relays
 * (`startUnder`).
 */
export class Runtime {
  readonly codec: EventCodec;
  readonly snapshots: Snapshots;
  /** Answers queries. */
  readonly projections: Projections;
  /** Runs the projections that `projections` answers from. */
  readonly projectionHost: ProjectionHost;
  readonly products: Products;
  /** The chain of the log itself, or its tree; null where neither is kept. */
  readonly chain: LogChain | null;
  /** Whether the read models are of this log. */
  readonly trust: LogTrust;
  readonly #readStore: ReadStore;
  readonly jobTypes: JobTypes;
  readonly #sagas: readonly AnySagaDeployment[];
  readonly #relays: readonly AnyRelay[];
  readonly #consumers: readonly AnyConsumer[];
  readonly #services: readonly Type<LeaderService>[];
  #reactions: Reactions | undefined;
  #leadership: Leadership | undefined;

  constructor(
    readonly engines: Engines,
    areas: readonly Area[],
    /** The projector of this process, where another thread runs projections and sagas. */
    readonly projector?: ProjectorLink,
  ) {
    const { eventStore, clock, logger } = engines;
    this.trust = new LogTrust(eventStore, engines.readStore);
    const readStore = new TrustedReadStore(engines.readStore, this.trust);
    this.#readStore = readStore;
    const codec = new EventCodec([...platformEvents, ...areas.flatMap(({ events }) => events)]);
    const projections = areas.flatMap((area) => area.projections);
    this.#sagas = areas.flatMap(({ sagas }) => sagas);
    this.#relays = areas.flatMap(({ relays }) => relays);
    this.#consumers = areas.flatMap(({ consumers }) => consumers);
    this.#services = areas.flatMap(({ leaderServices }) => leaderServices);
    rejectTwins('projections', namesOf(projections));
    rejectTwins('sagas', namesOf(this.#sagas.map(({ saga }) => saga)));
    rejectTwins('relays', namesOf(this.#relays));
    rejectTwins('saga commands', areas.flatMap(sagaCommandNames));
    this.codec = codec;
    this.products = new Products(
      areas.flatMap(({ products }) => products),
      metersOf(areas.flatMap(({ tools }) => tools)),
    );
    this.chain =
      eventStore.chain ?? (engines.keepsTree ? new TreeCheck(eventStore, readStore) : null);
    this.jobTypes = new JobTypes(areas.flatMap(({ jobs }) => jobs));
    this.snapshots = new Snapshots(readStore);
    this.projectionHost = new ProjectionHost(
      projections,
      eventStore,
      readStore,
      codec,
      clock,
      logger,
      projector,
    );
    this.projections = new Projections(this.projectionHost, eventStore, readStore, this.trust);
  }

  /** Runs the projections in this process, with or without the lease. */
  async startProjections(): Promise<void> {
    await this.projectionHost.start();
  }

  /** Runs sagas, relays, consumers and leader services here, with or without the lease. */
  startReactions(sender: CommandSender, services: ServiceSource = noServices): Promise<void> {
    return this.#react(this.#readStore, sender, services);
  }

  /** Runs nothing, and answers queries from documents that other processes write. */
  async startFollowing(): Promise<void> {
    await this.projectionHost.follow();
  }

  /** After `startFollowing`: runs everything while the lease is held. */
  startUnder(
    leadership: Leadership,
    sender: CommandSender,
    services: ServiceSource = noServices,
  ): void {
    this.#leadership = leadership;
    leadership.start({
      begin: (term) => this.#lead(term, sender, services),
      end: () => this.#stepDown(),
    });
  }

  /** Null where this process does not try for the lease. */
  leadership(): LeadershipStatus | null {
    return this.#leadership?.status() ?? null;
  }

  /** Sagas, relays and leader services that run here; projections have a status of their own. */
  reactions(): readonly RunnerStatus[] {
    if (!this.#reactions) return [];
    const { sagas, relays, services } = this.#reactions;
    return [...sagas.status(), ...[...relays, ...services].map((one) => one.status())];
  }

  async stop(): Promise<void> {
    await this.#leadership?.stop();
    await this.#stopReactions();
    await this.projectionHost.stop();
  }

  async #lead(term: LeadershipTerm, sender: CommandSender, services: ServiceSource): Promise<void> {
    const readStore = new FencedReadStore(this.#readStore, term);
    await this.projectionHost.start(readStore);
    const fenced: CommandSender = {
      // A command decided before the lease was lost must not be sent after it.
      execute: async (command) => {
        if (await term.held()) return sender.execute(command);
        throw new LeaseLostError('the lease was lost before this command');
      },
    };
    await this.#react(readStore, fenced, services);
  }

  async #stepDown(): Promise<void> {
    await this.#stopReactions();
    this.#reactions = undefined;
    await this.projectionHost.follow();
  }

  async #stopReactions(): Promise<void> {
    if (!this.#reactions) return;
    const { sagas, relays, services, consumers } = this.#reactions;
    await consumers.stop();
    await Promise.all(services.map((service) => service.stop()));
    await sagas.stop();
    await Promise.all(relays.map((relay) => relay.stop()));
  }

  async #react(readStore: ReadStore, sender: CommandSender, source: ServiceSource): Promise<void> {
    const { eventStore, bus, clock, logger } = this.engines;
    const { codec } = this;
    const hosted = this.#sagas.map(({ saga, toCommand }) => ({
      saga,
      send: async (command: SagaCommand, context: CommandContext): Promise<void> => {
        await sender.execute(toCommand(command, context));
      },
    }));
    const sagas = new Sagas(hosted, eventStore, readStore, codec, bus, clock, logger);
    const keepers = this.engines.keepsTree ? [new TreeKeeper(readStore)] : [];
    const relays = this.#relays
      .map((relay): SubscriptionHandler => new RelayHandler(relay, readStore, codec, bus))
      .concat(keepers, new LogTimesKeeper(readStore, eventStore))
      .map((handler) => new SubscriptionRunner(handler, eventStore, clock, logger));
    const send = (command: ICommand): Promise<unknown> => sender.execute(command);
    const consumers = new Consumers(this.#consumers, bus, send, logger);
    const services = this.#services.map(source);
    this.#reactions = { sagas, relays, services, consumers };
    sagas.start();
    for (const relay of relays) relay.start();
    consumers.start();
    await Promise.all(services.map((service) => service.start(sender)));
  }
}

const namesOf = (named: readonly { readonly name: string }[]): readonly string[] =>
  named.map(({ name }) => name);

/** Sagas of one area may share a command. */
const sagaCommandNames = ({ sagas }: Area): readonly string[] => [
  ...new Set(sagas.flatMap(({ commandNames }) => commandNames)),
];

/** Two projections of one name would share a checkpoint, and each would miss events. */
const rejectTwins = (what: string, names: readonly string[]): void => {
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new Error(`two ${what} are called ${twin}`);
};
