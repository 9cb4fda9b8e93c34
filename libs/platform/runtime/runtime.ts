import { type ICommand } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { platformEvents } from '#events/platform/lease.events.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type SagaCommand } from '#platform/kernel/saga.js';
import { Products } from '#platform/ledger/product.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type Area } from './area.js';
import { type CommandContext } from './command-context.js';
import { type AnyConsumer, Consumers } from './consumer.js';
import { EventCodec } from './event-codec.js';
import { FencedReadStore, LeaseLostError } from './lease/fenced-read-store.js';
import {
  type Leadership,
  type LeadershipStatus,
  type LeadershipTerm,
} from './lease/leadership.port.js';
import { type RunnerStatus } from './log-progress.js';
import { type AnyRelay, RelayHandler } from './outbox.js';
import { ProjectionHost } from './projection-host.js';
import { Projections } from './projections.js';
import { type AnySagaDeployment } from './saga-deployment.js';
import { Sagas } from './sagas.js';
import { Snapshots } from './snapshots.js';
import { SubscriptionRunner } from './subscription-runner.js';

/** The engines behind the three ports, and time. */
export interface Engines {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Sends a command that a saga asked for; `apps/` binds it to Nest's `CommandBus`. */
export interface CommandSender {
  execute(command: ICommand): Promise<unknown>;
}

interface Reactions {
  readonly sagas: Sagas;
  readonly relays: readonly SubscriptionRunner[];
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
  readonly #sagas: readonly AnySagaDeployment[];
  readonly #relays: readonly AnyRelay[];
  readonly #consumers: readonly AnyConsumer[];
  #reactions: Reactions | undefined;
  #leadership: Leadership | undefined;

  constructor(
    readonly engines: Engines,
    areas: readonly Area[],
  ) {
    const { eventStore, readStore, clock, logger } = engines;
    const codec = new EventCodec([...platformEvents, ...areas.flatMap(({ events }) => events)]);
    const projections = areas.flatMap((area) => area.projections);
    this.#sagas = areas.flatMap(({ sagas }) => sagas);
    this.#relays = areas.flatMap(({ relays }) => relays);
    this.#consumers = areas.flatMap(({ consumers }) => consumers);
    rejectTwins('projections', namesOf(projections));
    rejectTwins('sagas', namesOf(this.#sagas.map(({ saga }) => saga)));
    rejectTwins('relays', namesOf(this.#relays));
    rejectTwins('saga commands', areas.flatMap(sagaCommandNames));
    this.codec = codec;
    this.products = new Products(areas.flatMap(({ products }) => products));
    this.snapshots = new Snapshots(readStore);
    this.projectionHost = new ProjectionHost(
      projections,
      eventStore,
      readStore,
      codec,
      clock,
      logger,
    );
    this.projections = new Projections(this.projectionHost, eventStore, readStore);
  }

  /** Runs the projections in this process, with or without the lease. */
  async startProjections(): Promise<void> {
    await this.projectionHost.start();
  }

  /** Runs sagas, relays and consumers in this process, with or without the lease. */
  startReactions(sender: CommandSender): Promise<void> {
    return this.#react(this.engines.readStore, sender);
  }

  /** Runs nothing, and answers queries from documents that other processes write. */
  async startFollowing(): Promise<void> {
    await this.projectionHost.follow();
  }

  /** After `startFollowing`: runs everything while the lease is held. */
  startUnder(leadership: Leadership, sender: CommandSender): void {
    this.#leadership = leadership;
    leadership.start({
      begin: (term) => this.#lead(term, sender),
      end: () => this.#stepDown(),
    });
  }

  /** Null where this process does not try for the lease. */
  leadership(): LeadershipStatus | null {
    return this.#leadership?.status() ?? null;
  }

  /** The sagas and relays that run here; projections have a status of their own. */
  reactions(): readonly RunnerStatus[] {
    if (!this.#reactions) return [];
    const { sagas, relays } = this.#reactions;
    return [...sagas.status(), ...relays.map((relay) => relay.status())];
  }

  async stop(): Promise<void> {
    await this.#leadership?.stop();
    await this.#stopReactions();
    await this.projectionHost.stop();
  }

  async #lead(term: LeadershipTerm, sender: CommandSender): Promise<void> {
    const readStore = new FencedReadStore(this.engines.readStore, term);
    await this.projectionHost.start(readStore);
    await this.#react(readStore, {
      // A command decided before the lease was lost must not be sent after it.
      execute: (command) =>
        term.isHeld()
          ? sender.execute(command)
          : Promise.reject(new LeaseLostError('the lease was lost before this command')),
    });
  }

  async #stepDown(): Promise<void> {
    await this.#stopReactions();
    this.#reactions = undefined;
    await this.projectionHost.follow();
  }

  async #stopReactions(): Promise<void> {
    if (!this.#reactions) return;
    const { sagas, relays, consumers } = this.#reactions;
    await consumers.stop();
    await sagas.stop();
    await Promise.all(relays.map((relay) => relay.stop()));
  }

  async #react(readStore: ReadStore, sender: CommandSender): Promise<void> {
    const { eventStore, bus, clock, logger } = this.engines;
    const { codec } = this;
    const hosted = this.#sagas.map(({ saga, toCommand }) => ({
      saga,
      send: async (command: SagaCommand, context: CommandContext): Promise<void> => {
        await sender.execute(toCommand(command, context));
      },
    }));
    const sagas = new Sagas(hosted, eventStore, readStore, codec, bus, clock, logger);
    const relays = this.#relays
      .map((relay) => new RelayHandler(relay, readStore, codec, bus))
      .map((handler) => new SubscriptionRunner(handler, eventStore, clock, logger));
    const consumers = new Consumers(this.#consumers, bus, (command) => sender.execute(command));
    this.#reactions = { sagas, relays, consumers };
    sagas.start();
    for (const relay of relays) relay.start();
    await consumers.start();
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
