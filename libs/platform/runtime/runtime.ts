import { type ICommand } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type Area, type SagaCommandFactory } from './area.js';
import { Consumers } from './consumer.js';
import { EventCodec } from './event-codec.js';
import { FencedReadStore, LeaseLostError } from './fenced-read-store.js';
import { type Leadership, type LeadershipStatus, type Tenure } from './leadership.port.js';
import { LogReader, type LogReaderStatus } from './log-reader.js';
import { OutboxFollower } from './outbox.js';
import { Projections } from './projections.js';
import { type SendCommand } from './saga-follower.js';
import { Sagas } from './sagas.js';
import { Snapshots } from './snapshots.js';

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
  readonly relays: readonly LogReader[];
  readonly consumers: Consumers;
}

/**
 * Everything that reads the log on behalf of a list of areas. In a process of its own it all runs
 * here (`startProjections`, `startReactions`); in a fleet a process answers from what others project
 * (`startFollowing`), and some of them run everything while they hold the lease (`startUnder`).
 */
export class Runtime {
  readonly codec: EventCodec;
  readonly snapshots: Snapshots;
  readonly projections: Projections;
  readonly #areas: readonly Area[];
  readonly #sagaCommands: ReadonlyMap<string, SagaCommandFactory>;
  #reactions: Reactions | undefined;
  #leadership: Leadership | undefined;

  constructor(
    readonly engines: Engines,
    areas: readonly Area[],
  ) {
    const { eventStore, readStore, clock, logger } = engines;
    const codec = new EventCodec(areas.flatMap(({ events }) => events));
    const projections = areas.flatMap((area) => area.projections);
    const sagaCommands = areas.flatMap((area) => Object.entries(area.sagaCommands));
    refuseTwins('projections', projections);
    refuseTwins(
      'sagas',
      areas.flatMap(({ sagas }) => sagas),
    );
    refuseTwins(
      'relays',
      areas.flatMap(({ relays }) => relays),
    );
    const commandNames = sagaCommands.map(([name]) => ({ name }));
    refuseTwins('saga commands', commandNames);
    this.#areas = areas;
    this.#sagaCommands = new Map(sagaCommands);
    this.codec = codec;
    this.snapshots = new Snapshots(readStore);
    this.projections = new Projections(projections, eventStore, readStore, codec, clock, logger);
  }

  /** Runs the projections in this process, whoever else does. */
  async startProjections(): Promise<void> {
    await this.projections.start();
  }

  /** Runs sagas, relays and consumers in this process, whether others do or not. */
  startReactions(sender: CommandSender): Promise<void> {
    return this.#react(this.engines.readStore, sender);
  }

  /** Runs nothing, and answers from what other processes project. */
  async startFollowing(): Promise<void> {
    await this.projections.follow();
  }

  /** After `startFollowing`: runs everything while the lease is held. */
  startUnder(leadership: Leadership, sender: CommandSender): void {
    this.#leadership = leadership;
    leadership.start({
      begin: (tenure) => this.#lead(tenure, sender),
      end: () => this.#stepDown(),
    });
  }

  /** Null where this process does not try for the lease. */
  leadership(): LeadershipStatus | null {
    return this.#leadership?.status() ?? null;
  }

  /** The sagas and relays that run here; projections have a status of their own. */
  reactions(): readonly LogReaderStatus[] {
    if (!this.#reactions) return [];
    const { sagas, relays } = this.#reactions;
    return [...sagas.status(), ...relays.map((relay) => relay.status())];
  }

  async stop(): Promise<void> {
    await this.#leadership?.stop();
    await this.#stopReactions();
    await this.projections.stop();
  }

  async #lead(tenure: Tenure, sender: CommandSender): Promise<void> {
    const readStore = new FencedReadStore(this.engines.readStore, tenure);
    await this.projections.start(readStore);
    await this.#react(readStore, {
      // What was decided before the lease was lost must not be sent after it.
      execute: (command) =>
        tenure.isHeld()
          ? sender.execute(command)
          : Promise.reject(new LeaseLostError('the lease was lost before this command')),
    });
  }

  async #stepDown(): Promise<void> {
    await this.#stopReactions();
    this.#reactions = undefined;
    await this.projections.follow();
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
    const list = this.#areas.flatMap(({ sagas }) => sagas);
    const send = this.#sendBy(sender);
    const sagas = new Sagas(list, eventStore, readStore, codec, bus, send, clock, logger);
    const relays = this.#areas
      .flatMap((area) => area.relays)
      .map((relay) => new OutboxFollower(relay, readStore, codec, bus))
      .map((follower) => new LogReader(follower, eventStore, clock, logger));
    const declared = this.#areas.flatMap((area) => area.consumers);
    const consumers = new Consumers(declared, bus, (command) => sender.execute(command));
    this.#reactions = { sagas, relays, consumers };
    sagas.start();
    for (const relay of relays) relay.start();
    await consumers.start();
  }

  #sendBy(sender: CommandSender): SendCommand {
    return async (name, data, context) => {
      const factory = this.#sagaCommands.get(name);
      if (!factory) throw new Error(`no area has the saga command ${name}`);
      await sender.execute(factory(data as never, context));
    };
  }
}

/** Two of one name would share a place in the log, and each would miss what the other has read. */
const refuseTwins = (what: string, named: readonly { readonly name: string }[]): void => {
  const names = new Set<string>();
  for (const { name } of named) {
    if (names.has(name)) throw new Error(`two ${what} are called ${name}`);
    names.add(name);
  }
};
