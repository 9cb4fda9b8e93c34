import { type ICommand } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type Area, type SagaCommandFactory } from './area.js';
import { EventCodec } from './event-codec.js';
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

/** Everything that reads the log on behalf of a list of areas, started and stopped together. */
export class Runtime {
  readonly codec: EventCodec;
  readonly snapshots: Snapshots;
  readonly projections: Projections;
  readonly sagas: Sagas;
  readonly #relays: readonly LogReader[];
  readonly #sagaCommands: ReadonlyMap<string, SagaCommandFactory>;
  #sender: CommandSender | undefined;

  constructor(
    readonly engines: Engines,
    areas: readonly Area[],
  ) {
    const { eventStore, readStore, bus, clock, logger } = engines;
    const codec = new EventCodec(areas.flatMap(({ events }) => events));
    const projections = areas.flatMap((area) => area.projections);
    const sagas = areas.flatMap((area) => area.sagas);
    const relays = areas.flatMap((area) => area.relays);
    const sagaCommands = areas.flatMap((area) => Object.entries(area.sagaCommands));
    refuseTwins('projections', projections);
    refuseTwins('sagas', sagas);
    refuseTwins('relays', relays);
    const commandNames = sagaCommands.map(([name]) => ({ name }));
    refuseTwins('saga commands', commandNames);
    this.#sagaCommands = new Map(sagaCommands);
    this.codec = codec;
    this.snapshots = new Snapshots(readStore);
    this.projections = new Projections(projections, eventStore, readStore, codec, clock, logger);
    this.sagas = new Sagas(sagas, eventStore, readStore, codec, bus, this.#send, clock, logger);
    this.#relays = relays
      .map((relay) => new OutboxFollower(relay, readStore, codec, bus))
      .map((follower) => new LogReader(follower, eventStore, clock, logger));
  }

  async startProjections(): Promise<void> {
    await this.projections.start();
  }

  startReactions(sender: CommandSender): void {
    this.#sender = sender;
    this.sagas.start();
    for (const relay of this.#relays) relay.start();
  }

  /** Sagas and relays; projections have a status of their own. */
  reactions(): readonly LogReaderStatus[] {
    return [...this.sagas.status(), ...this.#relays.map((relay) => relay.status())];
  }

  async stop(): Promise<void> {
    await this.sagas.stop();
    await Promise.all(this.#relays.map((relay) => relay.stop()));
    await this.projections.stop();
  }

  readonly #send: SendCommand = async (name, data, context) => {
    const factory = this.#sagaCommands.get(name);
    if (!factory) throw new Error(`no area has the saga command ${name}`);
    if (!this.#sender) throw new Error('sagas were started without a command sender');
    await this.#sender.execute(factory(data as never, context));
  };
}

/** Two of one name would share a place in the log, and each would miss what the other has read. */
const refuseTwins = (what: string, named: readonly { readonly name: string }[]): void => {
  const names = new Set<string>();
  for (const { name } of named) {
    if (names.has(name)) throw new Error(`two ${what} are called ${name}`);
    names.add(name);
  }
};
