import { type Type } from '@nestjs/common';
import { type ICommand } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { leaseEvents } from '#events/platform/lease.events.js';
import { platformEvents } from '#events/platform/platform.events.js';
import { TreeCheck } from '#platform/audit/tree-check.js';
import { TreeKeeper } from '#platform/audit/tree-keeper.js';
import { TreePlaces } from '#platform/audit/tree-places.js';
import { TreeReader } from '#platform/audit/tree-reader.js';
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
import { CommandRunner } from './commands/command-runner.js';
import { EventCodec } from './commands/event-codec.js';
import { type CommandSender, type LeaderService } from './areas/leader-service.js';
import { FencedReadStore, LeaseLostError } from './lease/fenced-read-store.js';
import {
  type LeadershipStatus,
  type LeadershipTerm,
  type ReaderLeases,
  type TermHandler,
} from './lease/leadership.port.js';
import { countedPlaces, type LogPlaces } from './history/log-places.js';
import { leaseDecider } from './lease/lease.decider.js';
import { groupOf, leaseStreamOf, READER_GROUPS, type ReaderGroup } from './lease/reader-groups.js';
import { LogTimesKeeper } from './history/log-times.js';
import { LogStanding } from './log-standing/log-standing.js';
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
  /** On a separate connection, so that leases do not wait for documents. Default: `readStore`. */
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
 * Runs the log subscriptions of a list of areas, and registers the platform's own events. A
 * single process runs everything (`startProjections`, `startReactions`). In an installation of
 * several processes each answers queries from documents that another one may write
 * (`startFollowing`), and runs the groups of readers whose leases it holds (`startUnder`).
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
  readonly places: LogPlaces;
  /** Whether the read models are of this log. */
  readonly trust: LogTrust;
  /** Whether money may rest on this log. */
  readonly standing: LogStanding;
  readonly #readStore: ReadStore;
  readonly jobTypes: JobTypes;
  readonly #sagas: readonly AnySagaDeployment[];
  readonly #relays: readonly AnyRelay[];
  readonly #consumers: readonly AnyConsumer[];
  readonly #services: readonly Type<LeaderService>[];
  #reactions: Reactions | undefined;
  #leases: ReaderLeases | undefined;

  constructor(
    readonly engines: Engines,
    areas: readonly Area[],
    /** The projector of this process, where another thread runs projections and sagas. */
    readonly projector?: ProjectorLink,
  ) {
    const { eventStore, clock, logger } = engines;
    this.trust = new LogTrust(eventStore, engines.readStore);
    this.standing = new LogStanding(this.trust, eventStore, clock);
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
    this.places =
      eventStore.isSparse === true
        ? new TreePlaces(new TreeReader(readStore), eventStore)
        : countedPlaces(() => eventStore.head());
    this.projections = new Projections(
      this.projectionHost,
      eventStore,
      readStore,
      this.trust,
      this.places,
    );
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

  /** After `startFollowing`: runs each group of readers while its lease is held. */
  startUnder(
    leases: ReaderLeases,
    sender: CommandSender,
    services: ServiceSource = noServices,
  ): void {
    this.#leases = leases;
    leases.start((group) =>
      group === 'reactions' ? this.#reacting(sender, services) : this.#projecting(group),
    );
  }

  /** Of each group of readers; none where this process does not try for the leases. */
  leases(): readonly LeadershipStatus[] {
    return this.#leases?.status() ?? [];
  }

  /** The process that holds each group of readers by the log, or null. */
  async holders(): Promise<ReadonlyMap<ReaderGroup, string | null>> {
    const { eventStore } = this.engines;
    const codec = this.codec.for(leaseEvents);
    const runner = new CommandRunner({ decider: leaseDecider, eventStore, codec });
    const found = READER_GROUPS.map(async (group) => {
      const { state } = await runner.stateOf(leaseStreamOf(group));
      return [group, state.released ? null : state.holder] as const;
    });
    return new Map(await Promise.all(found));
  }

  /** Of the lease of the reactions; null where this process does not try for it. */
  leadership(): LeadershipStatus | null {
    return this.leases().find(({ group }) => group === 'reactions') ?? null;
  }

  /** Sagas, relays and leader services that run here; projections have a status of their own. */
  reactions(): readonly RunnerStatus[] {
    if (!this.#reactions) return [];
    const { sagas, relays, services } = this.#reactions;
    return [...sagas.status(), ...[...relays, ...services].map((one) => one.status())];
  }

  async stop(): Promise<void> {
    await this.#leases?.stop();
    await this.#stopReactions();
    await this.projectionHost.stop();
  }

  #projecting(group: ReaderGroup): TermHandler {
    const names = this.projectionHost.names.filter((name) => groupOf(name) === group);
    return {
      begin: (term) => this.projectionHost.start(new FencedReadStore(this.#readStore, term), names),
      end: () => this.projectionHost.follow(names),
    };
  }

  #reacting(sender: CommandSender, services: ServiceSource): TermHandler {
    return {
      begin: (term) => {
        const readStore = new FencedReadStore(this.#readStore, term);
        return this.#react(readStore, fencedSender(sender, term), services);
      },
      end: async () => {
        await this.#stopReactions();
        this.#reactions = undefined;
      },
    };
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

/** A command decided before the lease was lost must not be sent after it. */
const fencedSender = (sender: CommandSender, term: LeadershipTerm): CommandSender => ({
  execute: async (command) => {
    if (await term.held()) return sender.execute(command);
    throw new LeaseLostError('the lease was lost before this command');
  },
});

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
